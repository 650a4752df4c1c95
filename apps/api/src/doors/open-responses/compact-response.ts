import {
  type CompactResponse,
  type HistorySummary,
  type ImportedTurn,
  type InputItem,
  invalidRequest,
  ParleyError,
} from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { whenClientLeaves } from "../cancel-answer.ts";
import { detached, type DoorExchange } from "../door.ts";
import { refuseErased } from "../erased-answers.ts";
import { requireAgent } from "../find-agent.ts";
import { type Preceding, toFragments } from "../fragments.ts";
import { NOTHING_SAID } from "../openai-requests.ts";
import { type CompactionContent, encodeCompaction } from "./compaction-content.ts";
import { previousPlace, resolveReferences } from "./continued-answer.ts";
import { readPrevious } from "./create-response.ts";
import { readForked } from "./fork.ts";
import { readInput, textOf } from "./read-input.ts";

/** Characters of the user's messages that are given back: as many as a summary has. */
const MAX_GIVEN_BACK = 16_000;

/**
 * Compacts what was said: a summary of it, by the model of the agent, that a later response takes in its place. It is
 * written in a temporary conversation, which is erased. Throws `invalid_request_error` for what cannot be summarised, and as
 * the procedures do that it calls.
 */
export async function compactResponse(
  exchange: DoorExchange,
  request: CompactResponse,
): Promise<object> {
  const { idempotencyKey } = exchange.context;
  const own = { ...exchange, context: { ...exchange.context, idempotencyKey: undefined } };
  const agent = await requireAgent(exchange, request.model);
  const said = await readSaid(own, request);
  const contentFragments = await toFragments(own, said.all, { isTemporary: true });
  const message = { content: NOTHING_SAID, mentions: [] };
  const body = { message, contentFragments, temporary: true };
  const { conversation } = await callEndpoint(own, "conversations.create", { body });
  const params = { cId: conversation.sId };
  // By what was asked two requests are the same: the conversation is another one each time.
  const key = idempotencyKey && { ...idempotencyKey, asked: request };
  const keyed = { ...exchange, context: { ...exchange.context, idempotencyKey: key } };
  const erase = async () => callEndpoint(detached(exchange), "conversations.delete", { params });
  // Nobody could read the summary.
  const settled = whenClientLeaves(exchange, erase);
  const summary = await callEndpoint(keyed, "summaries.create", {
    params,
    body: { agentId: agent.sid, blocking: true },
  })
    .catch((error: unknown) => refuseErased(exchange, true, error))
    .finally(settled);
  // Nobody waits for it any more.
  if (summary.status === "pending") await erase();
  return describeCompaction(request, said, summary);
}

/** What is compacted. */
interface Said {
  readonly all: readonly Preceding[];
  /** The texts of the user's own messages among it. */
  readonly ofUser: readonly string[];
}

async function readSaid(exchange: DoorExchange, request: CompactResponse): Promise<Said> {
  const { input = [], instructions } = request;
  const previous = previousPlace(request);
  if (previous === undefined && input.length === 0) {
    const message = "is needed, or previous_response_id: there is nothing to compact";
    throw invalidRequest("body", [{ path: "input", message }]);
  }
  const forked =
    previous === undefined
      ? []
      : await readForked(exchange, previous, (await readPrevious(exchange, previous)).rank);
  const resolved = await resolveReferences(exchange, input);
  const { preceding, question, decisions } = readInput(resolved, { continues: undefined });
  const sent = decisions[0];
  if (sent !== undefined) {
    const message = "cannot be compacted: send it in a response";
    throw invalidRequest("body", [{ path: sent.path, message }]);
  }
  const asked =
    question === undefined ? [] : [{ turns: [{ role: "user" as const, text: question }] }];
  const held =
    instructions === undefined
      ? []
      : [{ turns: [{ role: "system" as const, text: instructions }] }];
  const ofUser = [
    ...turnsOf(forked).flatMap((turn) => (turn.role === "user" ? turn.text : [])),
    ...textsOfUser(resolved),
  ];
  return { all: [...held, ...forked, ...preceding, ...asked], ofUser };
}

function textsOfUser(input: string | readonly InputItem[]): string[] {
  if (typeof input === "string") return [input];
  return input.flatMap((item) =>
    "role" in item && item.role === "user" ? textOf(item.content) : [],
  );
}

/** The turns of what was said; of a file its name. */
function turnsOf(said: readonly Preceding[]): ImportedTurn[] {
  return said.flatMap((part) =>
    "turns" in part ? part.turns : { role: "user" as const, text: `[File: ${part.file.name}]` },
  );
}

function describeCompaction(
  { prompt_cache_key }: CompactResponse,
  said: Said,
  summary: HistorySummary,
): object {
  const { runId, createdAt, inputTokens, outputTokens } = summary;
  const id = runId.replace(/^sum_/, "");
  const content = encodeCompaction(contentOf(said, summary));
  return {
    id: `resp_${id}`,
    object: "response.compaction",
    created_at: Math.floor(createdAt / 1000),
    output: [
      ...newestOf(said.ofUser).map((text, index) => ({
        id: `msg_${id}_${index}`,
        type: "message",
        status: "completed",
        role: "user",
        content: [{ type: "input_text", text }],
      })),
      { id: `cmp_${id}`, type: "compaction", encrypted_content: content },
    ],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: summary.cachedInputTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: summary.reasoningTokens },
      total_tokens: inputTokens + outputTokens,
    },
    ...(prompt_cache_key !== undefined && { prompt_cache_key }),
  };
}

/** The newest texts, as far as the characters go. */
function newestOf(texts: readonly string[]): string[] {
  let left = MAX_GIVEN_BACK;
  const shown = texts.filter((text) => text.trim() !== "");
  const first = shown.findLastIndex((text) => (left -= text.length) < 0) + 1;
  return shown.slice(first);
}

/** Reasons for which a text has no summary, whoever tries again. */
const ofText = new Set([
  "empty",
  "cut_off",
  "too_long",
  "too_many_calls",
  "content_filter",
  "content_filtered",
  "context_too_long",
  "output_too_large",
]);

function contentOf(
  { all }: Said,
  { status, text, carried, error }: HistorySummary,
): CompactionContent {
  if (text !== null) return { summary: { text, carried } };
  // What is shorter than its summary stays as it is.
  if (error?.code === "not_shorter") return { turns: turnsOf(all) };
  if (error?.code === "budget_exceeded") throw new ParleyError("budget_exceeded", error.message);
  if (error !== null && ofText.has(error.code)) {
    const message = `has no summary (${error.code}): ${error.message}`;
    throw invalidRequest("body", [{ path: "input", message }]);
  }
  const why = status === "pending" ? "It takes too long" : (error?.message ?? status);
  throw new ParleyError("service_unavailable", `The summary could not be written: ${why}`, {
    retryAfterSeconds: 5,
  });
}
