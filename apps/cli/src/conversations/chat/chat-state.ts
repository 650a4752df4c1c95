import type { BlockedAction } from "@parley/schema";
import type { ServerConnection } from "../../connection/connect.ts";
import type { NamedAgent } from "../find-agent.ts";
import type { Keyboard } from "./keyboard.ts";
import type { Context } from "../../connection/context.ts";

/** A conversation on a terminal. */
export interface Chat {
  readonly context: Context;
  readonly connection: ServerConnection;
  readonly keyboard: Keyboard;
  readonly agents: readonly NamedAgent[];
  /** The agent that is asked next. */
  agent: NamedAgent;
  /** Undefined until the first message is sent. */
  conversationId: string | undefined;
  showsReasoning: boolean;
  /** The last answer as it was written. */
  lastAnswer: string;
  /** Messages as they were edited, the newest first. */
  readonly history: string[];
}

/** A call that waits for a person, as its answer announces it. */
export type WaitingCall<T extends BlockedAction["type"]> = Omit<
  Extract<BlockedAction, { readonly type: T }>,
  "status" | "type"
>;

/** What somebody did about a call that waits: took care of it, cancels the whole answer, or leaves the chat. */
export type Handled = "done" | "cancel" | "leave";
