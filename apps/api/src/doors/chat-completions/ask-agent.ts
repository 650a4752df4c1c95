import type { BriefAgent } from "@parley/core";
import { type CreateChatCompletion, invalidRequest, type MessageEvent } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, openLog } from "../door.ts";
import { refuseErased } from "../erased-answers.ts";
import { toFragments } from "../fragments.ts";
import { NOTHING_SAID, reasoningEfforts } from "../openai-requests.ts";
import { readThrough } from "../send-events.ts";
import { readMessages } from "./read-messages.ts";

/** An answer that a request has started, or continued. */
export interface AskedAnswer {
  readonly conversationId: string;
  readonly messageId: string;
  /** Whether the conversation is erased once the answer has ended. */
  readonly isTemporary: boolean;
  /** How often the answer had waited for outputs before what the request asks for. */
  readonly waited: number;
}

/**
 * Asks an agent what a request asks: in a conversation that is erased after it, or in the one that its metadata name.
 * Throws `invalid_request_error`, and as the procedures do that it calls.
 */
export async function askAgent(
  exchange: DoorExchange,
  request: CreateChatCompletion,
  agent: BriefAgent,
): Promise<AskedAnswer> {
  const named = request.metadata?.["conversation_id"];
  const isTemporary = named === undefined;
  const isKept = named !== undefined && named !== "new";
  const { preceding, question, outputs } = readMessages(request.messages, { isKept });
  if (isKept && question === undefined) return sendOutputs(exchange, named, outputs);
  const contentFragments = await toFragments(exchange, preceding, { isTemporary });
  const message = toMessage(request, { agent, question, isKept });
  if (isKept) {
    const params = { cId: named };
    const body = { ...message, contentFragments };
    const { agentMessages } = await callEndpoint(exchange, "messages.create", { params, body });
    return {
      conversationId: named,
      messageId: agentMessages[0]!.sId,
      isTemporary,
      waited: 0,
    };
  }
  const body = { message, contentFragments, ...(isTemporary && { temporary: true }) };
  const { conversation } = await callEndpoint(exchange, "conversations.create", { body }).catch(
    (error: unknown) => refuseErased(exchange, isTemporary, error),
  );
  const answer = conversation.content.flat().findLast(({ type }) => type === "agent_message");
  return {
    conversationId: conversation.sId,
    messageId: answer!.sId,
    isTemporary,
    waited: 0,
  };
}

/** Sends outputs to the newest answer of a conversation, which waits for them. */
async function sendOutputs(
  exchange: DoorExchange,
  cId: string,
  sent: readonly { readonly callId: string; readonly output: string }[],
): Promise<AskedAnswer> {
  const read = { params: { cId }, query: { limit: 1 } };
  const { conversation } = await callEndpoint(exchange, "conversations.get", read);
  const newest = conversation.content.at(-1)?.at(-1);
  if (newest?.type !== "agent_message" || sent.length === 0) {
    const message = "the last message must be the user's, or an output of a call that waits for it";
    throw invalidRequest("body", [{ path: "messages", message }]);
  }
  const outputs = sent.map(({ callId: actionId, output }) => ({ actionId, output }));
  const params = { cId, mId: newest.sId };
  const waited = await countWaits(exchange, params);
  await callEndpoint(exchange, "messages.sendToolOutputs", { params, body: { outputs } });
  const at = { conversationId: cId, messageId: params.mId };
  return { ...at, isTemporary: false, waited };
}

/** How often an answer has waited for outputs so far. */
async function countWaits(
  exchange: DoorExchange,
  params: { readonly cId: string; readonly mId: string },
): Promise<number> {
  const query = { include: "function_calls" };
  const source = await openLog(exchange, "messages.events", { params, query });
  let waits = 0;
  const encode = (event: MessageEvent) => {
    if (event.type === "tool_output_required" && event.isLastBlockingEventForStep !== false)
      waits++;
    return [];
  };
  await readThrough<MessageEvent>(
    exchange,
    source,
    { encode, isEnded: false },
    { onlySoFar: true },
  );
  return waits;
}

interface Asking {
  readonly agent: BriefAgent;
  readonly question: string | undefined;
  readonly isKept: boolean;
}

function toMessage(request: CreateChatCompletion, { agent, question, isKept }: Asking) {
  const {
    tools = [],
    tool_choice: choice,
    response_format: format,
    reasoning_effort: effort,
  } = request;
  const { sid, providerId, modelId } = agent;
  const maxOutputTokens = request.max_completion_tokens ?? request.max_tokens;
  const { user, safety_identifier, metadata } = request;
  const about = { user, safety_identifier, metadata };
  const instructions = isKept ? instructionsOf(request) : undefined;
  return {
    content: question === undefined || question === "" ? NOTHING_SAID : question,
    mentions: [{ configurationId: sid }],
    ...(tools.length > 0 && { functionTools: tools.map((tool) => tool.function) }),
    ...(choice !== undefined && {
      toolChoice: typeof choice === "string" ? choice : { name: choice.function.name },
    }),
    ...(request.parallel_tool_calls !== undefined && {
      parallelToolCalls: request.parallel_tool_calls,
    }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(instructions !== undefined && { instructions }),
    ...(Object.values(about).some((value) => value !== undefined) && {
      // Without what is undefined.
      metadata: { chatCompletions: JSON.parse(JSON.stringify(about)) as object },
    }),
    ...(format?.type === "json_schema" && {
      responseFormat: { type: "json_schema", schema: format.json_schema.schema },
    }),
    ...(effort !== undefined && {
      modelSelection: { providerId, modelId, reasoningEffort: reasoningEfforts[effort] },
    }),
  };
}

/** What system messages say of a conversation that the server keeps: it holds for this answer. */
function instructionsOf({ messages }: CreateChatCompletion): string | undefined {
  const texts = messages.flatMap((message) => {
    if (message.role !== "system" && message.role !== "developer") return [];
    const { content } = message;
    return typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
  });
  return texts.length === 0 ? undefined : texts.join("\n\n");
}
