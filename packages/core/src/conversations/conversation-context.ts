import type { MentionServices } from "../agents/agent-directory.ts";
import type { AgentServices } from "../agents/agent-versions.ts";
import type { KeyedContext } from "../idempotency.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import type { BudgetServices } from "../usage/require-budget.ts";
import type { ConversationServices } from "./write-messages.ts";

/** The context of functions that add to conversations. */
export type ConversationContext = KeyedContext &
  AgentServices &
  BudgetServices &
  ConversationServices &
  MentionServices &
  RunServices;
