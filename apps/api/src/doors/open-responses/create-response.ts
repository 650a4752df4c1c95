import type { BriefAgent } from "@parley/core";
import {
  type AnswerSettings,
  canonicalJson,
  type CreateResponse,
  invalidRequest,
} from "@parley/schema";
import { toParleyError } from "@parley/rpc";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, withStoredKey } from "../door.ts";
import { requireAgent } from "../find-agent.ts";
import { refuseErased } from "../erased-answers.ts";
import { toFragments } from "../fragments.ts";
import {
  findReferredAnswer,
  previousPlace,
  readWholeAnswer,
  resolveReferences,
} from "./continued-answer.ts";
import { readForked } from "./fork.ts";
import { settingsOf, toMessage } from "./message-settings.ts";
import { type CallOutput, readInput, type ReadInput } from "./read-input.ts";
import type { ResponsePlace } from "./response-ids.ts";

/**
 * Starts the answer to a request, or continues the one that waits for what it sends. Throws `invalid_request_error`, and
 * as the procedures do that it calls.
 */
export async function startResponse(
  exchange: DoorExchange,
  request: CreateResponse,
): Promise<ResponsePlace> {
  const { idempotencyKey } = exchange.context;
  // By what was asked two requests are the same: the files that are stored for it have other ids each time.
  const key = idempotencyKey && { ...idempotencyKey, asked: request };
  const keyed = { ...exchange, context: { ...exchange.context, idempotencyKey: key } };
  const agent = await requireAgent(exchange, request.model);
  const previous = previousPlace(request);
  const conversationId = conversationOf(request);
  if (previous !== undefined && conversationId !== undefined) {
    const message = "cannot be given together with previous_response_id";
    throw invalidRequest("body", [{ path: "conversation", message }]);
  }
  refuseUnstored(request, conversationId);
  const referred =
    previous === undefined ? await findReferredAnswer(exchange, request.input) : undefined;
  const continued = previous ?? referred;
  const resolved =
    referred === undefined ? await resolveReferences(exchange, request.input) : request.input;
  const input = readInput(resolved, { continues: continued });
  if (continued !== undefined && input.outputs.length + input.decisions.length > 0) {
    return continueAnswer(keyed, { request, place: continued, input });
  }
  const sent = input.decisions[0];
  if (sent !== undefined) {
    const message = "needs previous_response_id: the response whose call it decides about";
    throw invalidRequest("body", [{ path: `${sent.path}.approval_request_id`, message }]);
  }
  return ask(keyed, { request, agent, input, previous, conversationId });
}

/** Throws `invalid_request_error` for what a response that is not stored cannot be. */
function refuseUnstored({ store, background }: CreateResponse, conversationId?: string): void {
  if (store !== false) return;
  const refuse = (path: string) => {
    const message = "needs a response that is stored: leave out store: false";
    throw invalidRequest("body", [{ path, message }]);
  };
  if (background === true) refuse("background");
  if (conversationId !== undefined) refuse("conversation");
}

function conversationOf({ conversation }: CreateResponse): string | undefined {
  const id = typeof conversation === "object" ? conversation.id : conversation;
  return id?.replace(/^conv_/, "");
}

interface Continuing {
  readonly request: CreateResponse;
  readonly place: Omit<ResponsePlace, "segment"> & { readonly segment?: number };
  readonly input: ReadInput;
}

/** Sends outputs and decisions to the answer that waits for them: it continues as the next response. */
async function continueAnswer(
  exchange: DoorExchange,
  { request, place, input }: Continuing,
): Promise<ResponsePlace> {
  const params = { cId: place.conversationId, mId: place.messageId };
  const { answer } = await callEndpoint(exchange, "messages.getAnswer", { params });
  // As it was stored: nothing is null.
  requireSame(request, answer.settings as AnswerSettings);
  const before = await readWholeAnswer(exchange, place);
  if (input.question !== undefined) {
    const message =
      "send only outputs and decisions: the answer continues with these, and a message can follow it";
    throw invalidRequest("body", [{ path: "input", message }]);
  }
  const segment = (place.segment ?? before.waits() - 1) + 1;
  const decisions = input.decisions.map((decision) => {
    const actionId = decision.requestId.replace(/^mcpr_/, "");
    return { actionId, isApproved: decision.isApproved, place: before.placeOf(actionId) ?? params };
  });
  await decide(exchange, decisions);
  if (input.outputs.length > 0) {
    const outputs = input.outputs.map(toOutput);
    await callEndpoint(exchange, "messages.sendToolOutputs", { params, body: { outputs } });
  }
  return { ...params, conversationId: params.cId, messageId: params.mId, segment };
}

function toOutput({ callId, parts, path }: CallOutput) {
  if (typeof parts === "string") return { actionId: callId, output: parts };
  const output = parts.map((part, index) => {
    if (part.type === "input_text") return { type: "text", text: part.text };
    const [, mimeType, data] =
      /^data:([\w.+/-]+);base64,(.*)$/.exec(
        part.type === "input_image" ? (part.image_url ?? "") : "",
      ) ?? [];
    if (data !== undefined) return { type: "image", data, mimeType };
    const message = "must be input_text, or input_image with a data: URL";
    throw invalidRequest("body", [{ path: `${path}.output[${index}]`, message }]);
  });
  return { actionId: callId, output };
}

interface PlacedDecision {
  readonly actionId: string;
  readonly isApproved: boolean;
  /** The answer that makes the call. */
  readonly place: { readonly cId: string; readonly mId: string };
}

async function decide(exchange: DoorExchange, decisions: readonly PlacedDecision[]): Promise<void> {
  // The key is of the outputs: a decision that is repeated changes nothing.
  const own = { context: { ...exchange.context, idempotencyKey: undefined } };
  for (const { actionId, isApproved, place: params } of decisions) {
    const body = { actionId, approved: isApproved ? "approved" : "rejected" };
    // oxlint-disable-next-line no-await-in-loop -- in the order of the request
    await callEndpoint(own, "messages.validateAction", { params, body });
  }
}

/** Throws `invalid_request_error` for what an answer that waits was not asked with: it continues as it began. */
function requireSame(request: CreateResponse, before: AnswerSettings): void {
  const { metadata: _echo, ...asked } = settingsOf(request);
  const names = {
    functionTools: "tools",
    toolChoice: "tool_choice",
    parallelToolCalls: "parallel_tool_calls",
    maxOutputTokens: "max_output_tokens",
    temperature: "temperature",
    instructions: "instructions",
  } as const;
  for (const [member, path] of Object.entries(names) as [keyof typeof names, string][]) {
    const [given, had] = [asked[member], before[member]];
    if (given === undefined || canonicalJson(comparable(given)) === canonicalJson(comparable(had)))
      continue;
    const message = "differs from the response that waits: its answer continues as it was asked";
    throw invalidRequest("body", [{ path, message }]);
  }
}

/** Settings without what is stored by default. */
function comparable(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? null;
  return value.map((tool: { description?: string; parameters?: object; strict?: boolean }) => ({
    ...tool,
    description: tool.description ?? "",
    parameters: tool.parameters ?? { type: "object" },
    strict: tool.strict ?? null,
  }));
}

interface Asking {
  readonly request: CreateResponse;
  readonly agent: BriefAgent;
  readonly input: ReadInput;
  readonly previous: ResponsePlace | undefined;
  readonly conversationId: string | undefined;
}

/** Asks the agent: in the conversation that is continued, or in a new one. */
async function ask(
  arrived: DoorExchange,
  { request, agent, input, previous, conversationId }: Asking,
): Promise<ResponsePlace> {
  const isTemporary = request.store === false;
  const before = previous && (await readPrevious(arrived, previous));
  const exchange = await withStoredKey(arrived);
  const message = toMessage(request, agent, input.question);
  const post = async (cId: string, afterMessageId?: string): Promise<ResponsePlace> => {
    const contentFragments = await toFragments(exchange, input.preceding);
    const body = { ...message, contentFragments, afterMessageId };
    const { agentMessages } = await callEndpoint(exchange, "messages.create", {
      params: { cId },
      body,
    });
    return { conversationId: cId, messageId: agentMessages[0]!.sId, segment: 0 };
  };
  if (conversationId !== undefined) return post(conversationId);
  const stored = exchange.context.idempotencyKey?.stored?.createdId;
  // What a repeated request has created is a message, by its number, or a conversation.
  const continues = stored === undefined ? before?.isNewest === true : /^\d+$/.test(stored);
  if (continues && previous !== undefined && !isTemporary) {
    try {
      return await post(previous.conversationId, previous.messageId);
    } catch (error) {
      // Another response has continued it since.
      if (toParleyError(error).type !== "version_conflict") throw error;
    }
  }
  const forked =
    before === undefined || previous === undefined
      ? []
      : await readForked(exchange, previous, before.rank);
  const all = [...forked, ...input.preceding];
  const contentFragments = await toFragments(exchange, all, { isTemporary });
  const body = { message, contentFragments, ...(isTemporary && { temporary: true }) };
  const { conversation } = await callEndpoint(exchange, "conversations.create", { body }).catch(
    (error: unknown) => refuseErased(exchange, isTemporary, error),
  );
  const answer = conversation.content.flat().findLast(({ type }) => type === "agent_message");
  return { conversationId: conversation.sId, messageId: answer!.sId, segment: 0 };
}

/** The answer of a response that can be continued. Throws `invalid_request_error` for one that has not ended. */
export async function readPrevious(exchange: DoorExchange, previous: ResponsePlace) {
  const params = { cId: previous.conversationId, mId: previous.messageId };
  const { answer } = await callEndpoint(exchange, "messages.getAnswer", { params });
  if (answer.status !== "created") return answer;
  const message = "this response has not ended, or waits for outputs: send these, or cancel it";
  throw invalidRequest("body", [{ path: "previous_response_id", message }]);
}
