import { sql } from "drizzle-orm";
import { contextTokensOf, models } from "../workspaces/models.ts";

/** Bytes of a history if the model is unknown: more than models take. */
export const MAX_HISTORY_BYTES = 8 * 1024 * 1024;
/** Upper bound of the bytes of a token, in any script. */
const BYTES_PER_TOKEN = 12;

/** Bytes of a history that may fit into a model's context. */
export function historyBytesOf(pair: { providerId: string; modelId: string }): number {
  return Math.min(MAX_HISTORY_BYTES, (contextTokensOf(pair) ?? Infinity) * BYTES_PER_TOKEN);
}

/** The same for all models: a claim may have 100 turns. */
export const modelBytes = sql.raw(
  models.map((one) => `('${one.providerId}', '${one.modelId}', ${historyBytesOf(one)})`).join(", "),
);
