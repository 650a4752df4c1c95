import { invalidRequest } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type AnnouncedCall, findAnnounced } from "../announced-calls.ts";
import type { DoorExchange } from "../door.ts";
import type { Chat } from "./chats.ts";
import type { Sent, SentOutput } from "./sent-message.ts";

/** An answer that a chat waits for. */
export interface Awaited {
  readonly conversationId: string;
  readonly messageId: string;
  /** Calls that the request has decided, or whose outputs it has. */
  readonly decided?: ReadonlySet<string>;
}

/**
 * Passes on the decisions about an answer's calls, and the outputs of those that the page has run; repeated ones change
 * nothing. Throws `invalid_request_error` for an output of a call that the last answer does not have.
 */
export async function continueAnswer(
  exchange: DoorExchange,
  { conversationId, last }: Chat,
  { messageId, decisions, outputs }: Extract<Sent, { kind: "continue" }>,
): Promise<Awaited> {
  const open = unkeyed(exchange);
  const params = { cId: conversationId, mId: messageId };
  const actions = new Map(
    last?.sId === messageId ? last.actions.map((action) => [action.sId, action]) : [],
  );
  const unknown = outputs.find(({ actionId }) => !actions.has(actionId));
  if (unknown !== undefined) {
    const { path, actionId } = unknown;
    const message = `the chat's last answer has no call ${actionId}`;
    throw invalidRequest("body", [{ path: `${path}.toolCallId`, message }]);
  }
  const permissions = await findPermissions(open, conversationId, decisions);
  const own = last?.sId === messageId ? last.actions : [];
  const decidedIds = decisions.map(({ actionId }) => actionId);
  const announced = await findAnnounced(open, { conversationId, messageId, own }, decidedIds);
  for (const { actionId, approved } of decisions) {
    // What is allowed on a page of its own: only that it is not wanted is said here.
    if (approved && permissions.has(actionId)) continue;
    const body = { actionId, approved: approved ? "approved" : "rejected" };
    const { params: place = params } = announced.get(actionId) ?? {};
    await callEndpoint(open, "messages.validateAction", { params: place, body });
  }
  // The others are history: what the page says of them is not read.
  const waiting = outputs.filter(({ actionId }) => waitsForOutput(actions.get(actionId)));
  if (waiting.length > 0) {
    const body = { outputs: waiting.map(toBody) };
    await callEndpoint(open, "messages.sendToolOutputs", { params, body });
  }
  const ids = [...lastAsked(decisions, announced), ...newest(outputs, actions)];
  const decided = new Set(ids.map(({ actionId }) => actionId));
  return { conversationId, messageId, decided };
}

/** The decisions that were asked for last: those about a task stay in its call's part, and a page has what follows. */
function lastAsked<Decision extends { readonly actionId: string }>(
  decisions: readonly Decision[],
  announced: ReadonlyMap<string, AnnouncedCall>,
): readonly Decision[] {
  const seqOf = ({ actionId }: Decision) => announced.get(actionId)?.seq ?? 0;
  const last = Math.max(...decisions.map(seqOf));
  return decisions.filter((one) => seqOf(one) === last);
}

const waitsForOutput = (action: { readonly status: string } | undefined): boolean =>
  action?.status === "blocked_client_output_required";

const toBody = ({ actionId, output, isError }: SentOutput) => ({
  actionId,
  output,
  ...(isError && { isError }),
});

/** The outputs of the last step that has some: a page has what comes before. */
function newest(
  outputs: readonly SentOutput[],
  actions: ReadonlyMap<string, { readonly step: number }>,
): readonly SentOutput[] {
  const stepOf = ({ actionId }: SentOutput) => actions.get(actionId)?.step ?? 0;
  const last = Math.max(...outputs.map(stepOf));
  return outputs.filter((output) => stepOf(output) === last);
}

/** Calls that wait until their user allows the tool. */
async function findPermissions(
  exchange: DoorExchange,
  cId: string,
  decisions: readonly unknown[],
): Promise<Set<string>> {
  if (decisions.length === 0) return new Set();
  const call = { params: { cId } };
  const blocked = await callEndpoint(exchange, "conversations.listBlockedActions", call);
  return new Set(
    blocked.blockedActions.flatMap(({ type, actionId }) =>
      type === "tool_personal_auth_required" ? [actionId] : [],
    ),
  );
}

/** The exchange for calls that are not what the request's Idempotency-Key is for. */
export function unkeyed({ context, ...exchange }: DoorExchange): DoorExchange {
  return { ...exchange, context: { ...context, idempotencyKey: undefined } };
}
