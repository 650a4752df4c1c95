import { renderSummary, takesFilesOfResults, tokensOfFile } from "@parley/agent";
import {
  type Compaction,
  compactionOf,
  type Core,
  findActiveSummary,
  type PlannedFile,
  planRange,
  readPlanned,
  type SavedSummary,
} from "@parley/core";
import { essenceOf } from "@parley/schema";
import type { SummaryModel } from "./ask-model.ts";

/** Of the messages that stay: text has at least as many. */
const BYTES_PER_TOKEN = 3;

/** What earlier attempts have saved, or the range that a first one chooses; undefined if there is none. */
export async function readSaved(
  core: Core,
  given: {
    readonly compaction: Compaction;
    readonly model: SummaryModel;
    /** Of the messages that one summary replaces. */
    readonly maxBytes: number;
  },
): Promise<SavedSummary | undefined> {
  const { compaction, model, maxBytes } = given;
  const { summary } = compaction;
  const { db } = core.database;
  const { conversationId, providerId, progress, fromRank, toRank, steps } = summary;
  const active = await findActiveSummary(db, conversationId);
  if (progress !== null && fromRank !== null && toRank !== null) {
    // An earlier summary that is no longer active is noticed at the end.
    const contains = active?.number === summary.containsNumber ? active : undefined;
    return { fromRank, toRank, contains, progress, carried: summary.carried ?? [], steps };
  }
  const after = active?.toRank ?? -1;
  const { rows, openRank } = await readPlanned(db, { conversationId, after });
  // Whoever started it has asked for it: what is on by default is no question here.
  const settings = compactionOf({ ...compaction.compaction, enabled: true }, model.provider);
  if (settings === undefined) return undefined;
  const { keepsMessages, startsAtPercent } = settings;
  const share = startsAtPercent / 100 / 2;
  const sized = rows.map(({ files, ...row }) => {
    return { ...row, fileBytes: bytesInPrompt(files ?? [], { ...model, providerId }) };
  });
  const planned = planRange(sized, {
    openRank,
    keepsMessages,
    tailBytes: Math.floor(model.contextTokens * share) * BYTES_PER_TOKEN,
    maxBytes,
  });
  if (planned === undefined) return undefined;
  const text = active?.text ?? "";
  const replaced = active && { toRank: after, text, carried: active.carried ?? [] };
  return {
    fromRank: after + 1,
    toRank: planned,
    contains: active,
    progress: {
      text,
      rank: after + 1,
      offset: 0,
      bytes: replaced === undefined ? 0 : Buffer.byteLength(renderSummary(replaced)),
    },
    carried: active?.carried ?? [],
    steps,
  };
}

/**
 * What files take in a prompt beside their names, as bytes of text: what the model takes as it is has the estimate by
 * which prompts are fitted, another file the text that was extracted from it.
 */
export function bytesInPrompt(
  files: readonly PlannedFile[],
  { providerId, takes }: Pick<SummaryModel, "takes"> & { readonly providerId: string },
): number {
  return files.reduce((sum, { sizeBytes, isOfCall, textBytes, ...file }) => {
    const contentType = essenceOf(file.contentType).toLowerCase();
    const isTaken =
      (!isOfCall || takesFilesOfResults(providerId)) &&
      takes.some((one) => one.contentTypes.includes(contentType) && sizeBytes <= one.maxBytes);
    if (isTaken) return sum + tokensOfFile({ contentType, sizeBytes }) * BYTES_PER_TOKEN;
    return sum + (isOfCall ? 0 : (textBytes ?? 0));
  }, 0);
}
