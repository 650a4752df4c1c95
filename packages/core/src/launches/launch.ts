import {
  type AgentLaunch,
  CreateConversation,
  type FunctionLaunch,
  type Launch,
  PostMessage,
} from "@parley/schema";
import { findKeyCaller } from "../access/key-callers.ts";
import type { AgentServices } from "../agents/agent-versions.ts";
import type { Process, RunOrigin, WorkspaceCaller } from "../context.ts";
import { createConversation } from "../conversations/create-conversation.ts";
import { postMessage } from "../conversations/post-messages.ts";
import { replayConversation, replayPost } from "../conversations/replays.ts";
import type { ConversationServices } from "../conversations/write-messages.ts";
import { findIdempotencyKey, type KeyedRequestServices, once, scopeOfKey } from "../idempotency.ts";
import { invokeSandboxFunction, replayInvocation } from "../invocations/invoke.ts";
import type { InvocationServices } from "../invocations/write-invocations.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import type { BudgetServices } from "../usage/require-budget.ts";
import { requireAgentVersion, requireFunctionVersion } from "./require-launch.ts";

/** What launches need of a process. */
export type LaunchServices = Process &
  AgentServices &
  BudgetServices &
  ConversationServices &
  InvocationServices &
  KeyedRequestServices &
  RunServices;

/** What is started, for whom, and why. */
export interface Launching {
  /** Number of the key that it acts for. */
  readonly apiKeyId: number;
  readonly launch: Launch;
  /** Who writes the message, as its context says, and in which time zone. */
  readonly author: { readonly name: string; readonly timezone: string };
  /** What is started for a key is started once within a day: the id of the firing or of the event. */
  readonly key: string;
  readonly origin: RunOrigin;
  readonly signal: AbortSignal;
}

/** What was started: public ids, and the log of the run that does it. */
export interface Launched {
  readonly conversationId?: string;
  readonly messageId?: string;
  readonly invocationId?: string;
  readonly logId: string;
}

type LaunchContext = LaunchServices & {
  readonly caller: WorkspaceCaller;
  readonly signal: AbortSignal;
  readonly preferredWaitMs: number;
  readonly origin: RunOrigin;
};

/**
 * Starts an agent's answer, or a function, as a request of the key would: with its reach, limits and budgets. Undefined
 * once the key is no longer valid. Throws as `conversations.create`, `messages.create` and `sandboxFunctions.invoke` do.
 */
export async function launch(
  services: LaunchServices,
  { apiKeyId, launch: started, author, key, origin, signal }: Launching,
): Promise<Launched | undefined> {
  const caller = await findKeyCaller(services, apiKeyId);
  if (caller === undefined || caller.apiKey.role === "none") return undefined;
  const context: LaunchContext = { ...services, caller, signal, origin, preferredWaitMs: 0 };
  if (started.agent !== undefined) return answer(context, started.agent, { author, key });
  return started.function && invoke(context, started.function, key);
}

/** The context with the key under which it starts one thing once. */
async function keyed(context: LaunchContext, route: string, key: string) {
  const { caller } = context;
  const scope = scopeOfKey({ caller: caller.apiKey.sid, route, params: null, key });
  const workspaceId = caller.workspace.id;
  const stored = await findIdempotencyKey(context, { workspaceId, scope });
  // The key alone says what is the same: what is launched may have been edited since.
  const idempotencyKey = { scope, stored, asked: key, onReplay: () => {}, onRelease: () => {} };
  return { ...context, idempotencyKey };
}

async function answer(
  given: LaunchContext,
  launched: AgentLaunch,
  { author, key }: Pick<Launching, "author" | "key">,
): Promise<Launched> {
  const { agentId, conversationId, email, message: content, spaceId, title } = launched;
  const agent = await requireAgentVersion(given, given.caller.workspace.id, launched);
  const context = await keyed(given, "launch/agent", key);
  // Mentions resolve to the version that is launched.
  const agents = { find: async () => new Map([[agentId, agent]]), close: () => {} };
  const message = PostMessage.parse({
    content,
    mentions: [{ configurationId: agentId }],
    context: { username: author.name, timezone: author.timezone, email },
  });
  if (conversationId === null) {
    const input = CreateConversation.parse({ message, spaceId, title });
    const created = await once({ ...context, agents }, input, {
      make: (one) => createConversation(one, input),
      replay: (id) => replayConversation(context, input, id),
    });
    const { sId, content: versions } = created.conversation;
    const messageId = versions.flat().find(({ type }) => type === "agent_message")?.sId ?? "";
    return { conversationId: sId, messageId, logId: messageId };
  }
  const input = { ...message, cId: conversationId };
  const posted = await once({ ...context, agents }, input, {
    make: (one) => postMessage(one, input),
    replay: (id) => replayPost(context, input, id),
  });
  const messageId = posted.agentMessages[0]?.sId ?? "";
  return { conversationId, messageId, logId: messageId };
}

async function invoke(
  given: LaunchContext,
  launched: FunctionLaunch,
  key: string,
): Promise<Launched> {
  const { functionId, input } = launched;
  const version = await requireFunctionVersion(given, given.caller.workspace.id, launched);
  const context = await keyed(given, "launch/function", key);
  const functions = { getActive: async () => version, close: () => {} };
  const invoked = await once({ ...context, functions }, input, {
    make: (one) => invokeSandboxFunction(one, { functionId, input }),
    replay: (id) => replayInvocation(context, { functionId: version.sid, input }, id),
  });
  const invocationId = invoked.invocation.sId;
  return { invocationId, logId: invocationId };
}
