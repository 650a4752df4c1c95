import { toCsv } from "../parsing/csv.ts";
import type { Usage } from "./usage.ts";

const COLUMNS = [
  "date",
  "startsAt",
  "id",
  "name",
  "isOthers",
  "currency",
  "calls",
  "unpricedCalls",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "amount",
  "estimatedAmount",
];

/** The rows of usage as CSV. */
export function usageToCsv({ rows }: Pick<Usage, "rows">): string {
  const timed = rows.map((row) => ({ ...row, startsAt: new Date(row.startsAt).toISOString() }));
  return toCsv(COLUMNS, timed);
}
