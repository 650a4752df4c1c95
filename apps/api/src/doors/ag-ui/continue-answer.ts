import { type Action, type AgentMessage, invalidRequest, type RunAgentInput } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type AnnouncedCall, findAnnounced } from "../announced-calls.ts";
import type { DoorExchange } from "../door.ts";
import type { Sent } from "./sent-messages.ts";
import type { StartedRun } from "./started-run.ts";
import { readWaiting } from "./threads.ts";

type Resume = NonNullable<RunAgentInput["resume"]>;

interface Given {
  readonly resume: Resume;
  readonly outputs: Extract<Sent, { kind: "outputs" }>["outputs"];
}

interface Answer {
  readonly conversationId: string;
  readonly answer: AgentMessage;
}

/**
 * Passes what a run has for an answer that waits on to it: decisions, answers of its user, outputs of tools. What was
 * decided before stays as it was decided. Throws `invalid_request_error` for calls that the answer does not have.
 */
export async function continueAnswer(
  exchange: DoorExchange,
  { conversationId, answer }: Answer,
  { resume, outputs }: Given,
): Promise<StartedRun> {
  const actions = new Map(answer.actions.map((action) => [action.sId, action]));
  const resumed = resume.map(({ interruptId }) => interruptId);
  const ids = [...resumed, ...outputs.map(idOf)];
  const place = { conversationId, messageId: answer.sId, own: answer.actions };
  const announced = await findAnnounced(exchange, place, resumed);
  const open = announced.size === 0 ? undefined : await readWaiting(exchange, conversationId);
  const unknown = ids.findIndex((id) => !actions.has(id) && !announced.has(id));
  if (unknown !== -1) {
    const path = resume.length > 0 ? `resume[${unknown}].interruptId` : "messages";
    const message = `the thread's newest answer has no call ${ids[unknown]}`;
    throw invalidRequest("body", [{ path, message }]);
  }
  const params = { cId: conversationId, mId: answer.sId };
  // Decided calls are as they are: only the outputs are under the key of the run.
  const unkeyed = { context: { ...exchange.context, idempotencyKey: undefined } };
  for (const [index, entry] of resume.entries()) {
    const { interruptId } = entry;
    const ofTask = actions.has(interruptId) ? undefined : announced.get(interruptId);
    // A call of a task that waits no more was decided before.
    if (ofTask !== undefined && open?.has(interruptId) !== true) continue;
    const status = ofTask ? statuses[ofTask.waitsFor] : actions.get(interruptId)?.status;
    const decision = decisionOf(entry, status, `resume[${index}].payload`);
    if (decision === undefined) continue;
    const { name, body } = decision;
    // oxlint-disable-next-line no-await-in-loop -- in the order of the request
    await callEndpoint(unkeyed, name, { params: ofTask?.params ?? params, body });
  }
  const waiting = outputs.filter(
    ({ actionId }) => actions.get(actionId)?.status === "blocked_client_output_required",
  );
  if (waiting.length > 0) {
    await callEndpoint(unkeyed, "messages.sendToolOutputs", { params, body: { outputs: waiting } });
  }
  return { conversationId, messageId: answer.sId, continues: new Set(ids) };
}

const idOf = ({ actionId }: { readonly actionId: string }): string => actionId;

/** The status of a call that was announced like this, while it waits. */
const statuses: Readonly<Record<AnnouncedCall["waitsFor"], Action["status"]>> = {
  tool_approve_execution: "blocked_validation_required",
  tool_ask_user_question: "blocked_user_answer_required",
  tool_personal_auth_required: "blocked_authentication_required",
  tool_output_required: "blocked_client_output_required",
};

/** The call of a procedure that an answer to an interrupt is; undefined if its call does not wait for one. */
function decisionOf(
  { interruptId: actionId, status, payload }: Resume[number],
  waits: string | undefined,
  path: string,
): { name: "messages.validateAction" | "messages.answerQuestion"; body: object } | undefined {
  const isCancelled = status === "cancelled";
  if (waits === "blocked_validation_required") {
    const { approved, params } = isCancelled ? { approved: false } : readMembers(payload, path);
    if (typeof approved !== "boolean") {
      const message = "must be a boolean";
      throw invalidRequest("body", [{ path: `${path}.approved`, message }]);
    }
    const decision = { actionId, approved: approved ? "approved" : "rejected" };
    const body = { ...decision, ...(params !== undefined && { params }) };
    return { name: "messages.validateAction", body };
  }
  if (waits === "blocked_user_answer_required") {
    const answer = isCancelled
      ? { selectedOptions: [], customResponse: "No answer" }
      : readMembers(payload, path);
    return { name: "messages.answerQuestion", body: { actionId, answer } };
  }
  return undefined;
}

function readMembers(payload: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) {
    return payload as Readonly<Record<string, unknown>>;
  }
  throw invalidRequest("body", [
    { path, message: "must be an object, as of the interrupt's schema" },
  ]);
}
