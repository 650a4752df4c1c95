import { type ModelProvider, renderSummary, toTranscriptLine } from "@parley/agent";
import {
  carryItems,
  type ClaimedRun,
  type Compaction,
  contextTokensOf,
  type Core,
  finishCompaction,
  type FinishedCompaction,
  filesTakenBy,
  mayUseModel,
  readTranscript,
  type SavedSummary,
  saveSummary,
  takenFiles,
  type TranscriptMessage,
  UnreadableSecret,
} from "@parley/core";
import type { Logger } from "pino";
import { readOwnKey } from "../models/choose-model.ts";
import type { RunMeter } from "../metering/create-meter.ts";
import { withAmounts } from "../metering/step-usage.ts";
import {
  type MeteredCompaction,
  type MeterServices,
  meterCompaction,
} from "../metering/turn-meter.ts";
import type { Persistence } from "../runs/outage.ts";
import { askModel, type Failure, type SummaryModel } from "./ask-model.ts";
import { readSaved } from "./choose-range.ts";

export interface CompactionServices {
  readonly core: Core;
  readonly logger: Logger;
  readonly usage: MeterServices["usage"];
  readonly persistence: Persistence;
  /** Model providers by their id. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
}

/** Context of a model that is not in the catalogue. */
const DEFAULT_CONTEXT_TOKENS = 8000;
/** Bytes of messages that one call is given: for each token of the context, of which it has half; and at most. */
const BYTES_PER_TOKEN = 2;
const PIECE_SHARE = 0.5;
const MAX_PIECE_BYTES = 400_000;
/** Calls of the model for one summary: for the messages that are chosen, and at most. */
const MAX_PIECES = 32;
const MAX_CALLS = 3 * MAX_PIECES;
/** Bytes of a UTF-16 code unit at most. */
const BYTES_PER_CHARACTER = 3;

/** Runs a compaction to its end, and gives `succeeded` or why not. Throws `LostLease`, or the reason of the signal. */
export async function executeCompaction(
  services: CompactionServices,
  { run, compaction }: { run: ClaimedRun; compaction: Compaction },
  signal: AbortSignal,
): Promise<string> {
  const retry = <T>(work: () => Promise<T>) => services.persistence.retry(run, signal, work);
  const attempt = { run, compaction, retry, signal };
  const meter = await retry(async () => meterCompaction(services, attempt));
  try {
    return await continueCompaction(services, { ...attempt, meter });
  } finally {
    await meter.close();
  }
}

async function continueCompaction(
  services: CompactionServices,
  { run, compaction, meter, retry, signal }: MeteredCompaction & { readonly meter: RunMeter },
): Promise<string> {
  const { core } = services;
  const { summary } = compaction;
  let { steps } = summary;
  const finish = async (outcome: FinishedCompaction["outcome"]) => {
    const { ended } = meter;
    const finished = { run, compaction, outcome, steps, usage: ended };
    const code = await retry(() => finishCompaction(core, finished));
    meter.written(ended, []);
    return code;
  };
  if (run.exhausted) {
    return finish({ code: "interrupted", message: "The summary was interrupted too often" });
  }
  const model = await retry(() => findModel(services, { run, compaction }));
  if (!("provider" in model)) return finish(model);
  const maxBytes = Math.min(
    MAX_PIECE_BYTES,
    Math.floor(model.contextTokens * PIECE_SHARE) * BYTES_PER_TOKEN,
  );
  const bounds = { maxBytes: maxBytes * MAX_PIECES };
  let saved = await retry(() => readSaved(core, { compaction, model, ...bounds }));
  if (saved === undefined) {
    const message = "All messages are too new, or wait for something";
    return finish({ code: "nothing_to_summarise", message });
  }
  const save = async (next: SavedSummary): Promise<boolean> => {
    saved = next;
    ({ steps } = summary.steps === next.steps ? summary : { steps: [...next.steps] });
    const { ended } = meter;
    const isOpen = await retry(() => saveSummary(core, run, next, ended));
    if (isOpen) meter.written(ended, []);
    return isOpen;
  };
  const changed = { code: "conversation_changed", message: "Its messages were changed" };
  if (summary.progress === null && !(await save(saved))) return finish(changed);
  while (saved.progress.rank <= saved.toRank) {
    const current: SavedSummary = saved;
    const piece = await retry(() => readPiece(core, { current, summary, maxBytes }));
    const { workspaceId } = run;
    const read = { before: current.carried, messages: piece.carried };
    const carried = await carryItems(core.threads, read, { workspaceId, origin: "run", signal });
    const { text: before } = current.progress;
    if (piece.lines.length === 0) {
      saved = { ...current, progress: { ...current.progress, rank: current.toRank + 1 } };
      break;
    }
    const index = current.steps.length;
    if (index >= MAX_CALLS) {
      return finish({ code: "too_many_calls", message: `It takes more than ${MAX_CALLS} calls` });
    }
    const given = { lines: piece.lines, soFar: before, index };
    const said = await askModel({ ...model, meter }, given, signal);
    if (said.step !== undefined) {
      steps = [...current.steps, withAmounts(said.step, summary, meter.made)];
    }
    if ("failure" in said) return finish(said.failure);
    const { rank, offset } = piece;
    const bytes = current.progress.bytes + piece.bytes;
    const progress = { text: said.text, rank, offset, bytes };
    if (!(await save({ ...current, progress, carried, steps }))) return finish(changed);
  }
  const { toRank, carried } = saved;
  const { text, bytes } = saved.progress;
  if (Buffer.byteLength(renderSummary({ toRank, text, carried })) >= bytes) {
    const message = "The summary was not shorter than what it replaces";
    return finish({ code: "not_shorter", message });
  }
  return finish({ text, carried });
}

/** The model of the summary, if it may still be called. */
async function findModel(
  { core, providers }: CompactionServices,
  { run, compaction }: { run: ClaimedRun; compaction: Compaction },
): Promise<SummaryModel | Failure> {
  const { providerId, modelId } = compaction.summary;
  const provider = providers[providerId];
  const { workspaceId } = run;
  const pair = { providerId, modelId };
  if (provider === undefined) {
    return { code: "provider_unavailable", message: `This server has no provider ${providerId}` };
  }
  if (!(await mayUseModel(core, workspaceId, pair))) {
    const message = `The model ${modelId} of ${providerId} is not enabled for the workspace`;
    return { code: "model_disabled", message };
  }
  try {
    return {
      provider,
      modelId,
      temperature: compaction.temperature,
      contextTokens: contextTokensOf(pair) ?? provider.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
      takes: filesTakenBy(pair) ?? takenFiles(providerId, provider.takes ?? []),
      apiKey: await readOwnKey(core, { workspaceId, providerId }),
      traceparent: run.traceparent ?? undefined,
    };
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const message = `The workspace's credential for ${providerId} cannot be decrypted`;
    return { code: "provider_auth_error", message };
  }
}

/** The next lines of a transcript, and where it continues. */
async function readPiece(
  core: Core,
  given: { current: SavedSummary; summary: Compaction["summary"]; maxBytes: number },
) {
  const { current, summary, maxBytes } = given;
  const { toRank, progress } = current;
  const range = { fromRank: progress.rank, toRank, maxBytes };
  const { conversationId } = summary;
  const messages = await readTranscript(core.database.db, { conversationId, ...range });
  let bytes = 0;
  const lines: string[] = [];
  const first = messages[0];
  const end = progress.offset + Math.floor(maxBytes / BYTES_PER_CHARACTER);
  if (first !== undefined && (progress.offset > 0 || first.content.length > end)) {
    // A message that is longer than a piece is a transcript of its own, in parts.
    const cut = isHighSurrogate(first.content, end - 1) ? end - 1 : end;
    const part = { ...first, content: first.content.slice(progress.offset, cut) };
    const isLast = cut >= first.content.length;
    const line = toLine(isLast ? part : { ...part, calls: null });
    const carried = [toCarried(part)];
    const next = isLast ? { rank: first.rank + 1, offset: 0 } : { rank: first.rank, offset: cut };
    return { lines: [line], bytes: Buffer.byteLength(part.content), carried, ...next };
  }
  for (const message of messages) {
    lines.push(toLine(message));
    bytes += Buffer.byteLength(message.content);
  }
  const carried = messages.map(toCarried);
  return { lines, bytes, carried, rank: (messages.at(-1)?.rank ?? toRank) + 1, offset: 0 };
}

const isHighSurrogate = (text: string, index: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(index));

function toCarried({ fragment, content, calls }: TranscriptMessage) {
  const called = (calls ?? []).map(({ params, output }) => `${params}\n${output ?? ""}`);
  return { file: fragment?.title ?? null, text: [content, ...called].join("\n") };
}

const roles: Readonly<Record<string, string>> = {
  agent_message: "agent",
  user_message: "user",
  content_fragment: "attachment",
};

function toLine({ rank, type, author, fragment, content, calls }: TranscriptMessage): string {
  return toTranscriptLine({
    position: rank,
    role: roles[type] ?? type,
    ...(author !== null && { author }),
    ...(fragment !== null && { title: fragment.title }),
    text: content,
    ...(calls !== null && { calls }),
  });
}
