import {
  conversationIdOf,
  findIdempotencyKey,
  type IdempotencyKey,
  scopeOfKey,
} from "@parley/core";
import {
  doors,
  invalidRequest,
  type OutputOf,
  ParleyError,
  type RunAgentInput,
} from "@parley/schema";
import type { Endpoints } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";
import { continueAnswer } from "./continue-answer.ts";
import { readSent } from "./sent-messages.ts";
import { findThread, type Thread } from "./threads.ts";
import type { StartedRun } from "./started-run.ts";

/** A request for a run of an agent. */
export type RunRequest = RunAgentInput & { readonly sId: string };

/**
 * Starts a run: asks the agent, or continues the answer that waits for what the request has. A run that was started
 * before is found again. Throws `invalid_request_error`, `agent_not_found`, and as the procedures do that it calls.
 */
export async function startRun(exchange: DoorExchange, run: RunRequest): Promise<StartedRun> {
  const thread = await findThread(exchange, run.threadId);
  // After the thread: a run that began it has stored its key with it.
  const key = await keyOf(exchange, run);
  const keyed = { ...exchange, context: { ...exchange.context, idempotencyKey: key } };
  const { resume = [] } = run;
  const sent = resume.length > 0 ? undefined : readSent(run.messages);
  if (sent?.kind === "question") return ask(keyed, { run, thread, content: sent.content });
  if (thread?.last === undefined) {
    const path = sent === undefined ? "resume" : "messages";
    const message = "the thread has no answer that waits";
    throw invalidRequest("body", [{ path, message }]);
  }
  const { conversationId, last } = thread;
  const place = { conversationId, answer: last };
  return continueAnswer(keyed, place, { resume, outputs: sent?.outputs ?? [] });
}

/** The key of a run, under which it is started once: as if it were an Idempotency-Key. */
async function keyOf(
  { services, context }: DoorExchange,
  { threadId, runId, messages, resume, sId }: RunRequest,
): Promise<IdempotencyKey> {
  const { workspace, apiKey, user, userToken } = context.caller;
  const caller = userToken === undefined ? apiKey.sid : `${apiKey.sid}/${user.sid}`;
  const { path: route } = doors["agUi.run"];
  const scope = scopeOfKey({ caller, route, params: { threadId }, key: runId });
  const stored = await findIdempotencyKey(services.core, { workspaceId: workspace.id, scope });
  return {
    scope,
    stored,
    asked: { sId, last: messages.at(-1), resume },
    onReplay: () => {},
    onRelease: () => {},
  };
}

interface Question {
  readonly run: RunRequest;
  readonly thread: Thread | undefined;
  readonly content: string;
}

async function ask(
  exchange: DoorExchange,
  { run, thread, content }: Question,
): Promise<StartedRun> {
  const { context } = exchange;
  const { sId, threadId } = run;
  const agents = await context.agents.find(context.caller.workspace.id, [sId]);
  if (!agents.has(sId)) throw new ParleyError("agent_not_found", "The workspace has no such agent");
  const message = { content, mentions: [{ configurationId: sId }], ...settingsOf(run) };
  const own = conversationIdOf(context.caller, threadId);
  // A run that began the thread is found under the key of its create.
  const isFirst =
    thread === undefined || context.idempotencyKey?.stored?.createdId === thread.conversationId;
  if (isFirst) {
    const beginning = { ...exchange, context: { ...context, conversationId: own } };
    const created = await callEndpoint(beginning, "conversations.create", { body: { message } });
    return { conversationId: created.conversation.sId, messageId: answerOf(created) };
  }
  const params = { cId: thread.conversationId };
  const { agentMessages } = await callEndpoint(exchange, "messages.create", {
    params,
    body: message,
  });
  return { conversationId: thread.conversationId, messageId: requireAnswer(agentMessages[0]?.sId) };
}

function answerOf({ conversation }: OutputOf<Endpoints["conversations.create"]>): string {
  const first = conversation.content.flat().find(({ type }) => type === "agent_message");
  return requireAnswer(first?.sId);
}

function requireAnswer(messageId: string | undefined): string {
  if (messageId !== undefined) return messageId;
  throw new ParleyError("agent_not_found", "The agent is no longer active");
}

function settingsOf({ tools = [], context = [] }: RunRequest): object {
  const instructions = context.map(({ description, value }) => `${description}:\n${value}`);
  return {
    ...(tools.length > 0 && {
      functionTools: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      })),
    }),
    ...(instructions.length > 0 && { instructions: instructions.join("\n\n") }),
  };
}
