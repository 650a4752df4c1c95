import {
  type ExportConsumption,
  invalidRequest,
  MAX_CONSUMPTION_DAYS,
  toCsv,
} from "@parley/schema";
import type { Context } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { toDecimal } from "../usage/prices.ts";
import { type ConsumptionRow, readConsumption } from "./consumption-rows.ts";

const DAY_MS = 24 * 3_600_000;

/** A text that is made while it is read, whose length is not known. */
export interface StreamedText {
  readonly contentType: string;
  readonly fileName: string;
  /** The text in pieces: the next one is made when it is asked for, and none after the reader has left. */
  readonly pieces: AsyncGenerator<string, void, undefined>;
}

/** Columns in their order; new ones are the last, as some readers go by position. */
const COLUMNS = [
  "timestamp",
  "origin",
  "user_id",
  "user_email",
  "api_key_id",
  "api_key_name",
  "agent_id",
  "agent_name",
  "provider_id",
  "model_id",
  "conversation_id",
  "message_id",
  "step",
  "input_tokens",
  "output_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "amount",
  "currency",
  "is_estimated",
  "tools",
  "skills",
  "sources",
  "tags",
] as const satisfies readonly (keyof ConsumptionRow)[];

/**
 * Exports each call of a model in a range of days, and each answer from before calls were recorded, which has tokens
 * without an amount. Throws `invalid_request_error` for a range that is too long.
 */
export async function exportConsumption(
  context: Context,
  input: ExportConsumption,
): Promise<StreamedText> {
  const { startDate, endDate, format } = input;
  const [since, until] = [Date.parse(startDate), Date.parse(endDate) + DAY_MS];
  const days = (until - since) / DAY_MS;
  if (days < 1 || days > MAX_CONSUMPTION_DAYS) {
    const message = `must not be before startDate, and the range at most ${MAX_CONSUMPTION_DAYS} days`;
    throw invalidRequest("body", [{ path: "endDate", message }]);
  }
  const fileName = `consumption_${startDate}_${endDate}.${format}`;
  const contentType = format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson";
  const pieces = writePieces(context, input, { since, until });
  return { contentType, fileName, pieces };
}

async function* writePieces(
  context: Context,
  { format, filter }: ExportConsumption,
  range: { readonly since: number; readonly until: number },
): AsyncGenerator<string, void, undefined> {
  if (format === "csv") yield toCsv(COLUMNS, []);
  // Nobody is in a group.
  if ((filter?.groups ?? []).length > 0) return;
  const { caller } = context;
  const { db } = onSlowDatabase(context).database;
  const rows = readConsumption(db, {
    workspaceId: caller.workspace.id,
    apiKeyId: caller.apiKey.id,
    ...range,
    agents: anyOf(filter?.agents),
    users: anyOf(filter?.users),
    keys: anyOf(filter?.api_keys),
    models: anyOf(filter?.models),
    tools: anyOf(filter?.tools),
    skills: anyOf(filter?.skills),
    sources: anyOf(filter?.sources),
    tags: anyOf(filter?.tags),
  });
  for await (const page of rows) {
    if (page.length > 0) yield format === "csv" ? toTable(page) : toLines(page);
  }
}

/** An empty list filters nothing. */
const anyOf = (names: readonly string[] = []) => (names.length === 0 ? null : names);

const shown = (row: ConsumptionRow) => ({
  ...row,
  timestamp: new Date(row.timestamp).toISOString(),
  amount: row.amount === null ? null : toDecimal(BigInt(row.amount)),
});

function toTable(page: readonly ConsumptionRow[]): string {
  const joined = (names: readonly string[]) => names.join("; ");
  const rows = page.map((row) => ({
    ...shown(row),
    tools: joined(row.tools),
    skills: joined(row.skills),
    sources: joined(row.sources),
    tags: joined(row.tags),
  }));
  return toCsv(COLUMNS, rows, { hasNames: false });
}

function toLines(page: readonly ConsumptionRow[]): string {
  return page
    .map((row) => {
      const values: Readonly<Record<string, unknown>> = shown(row);
      const named = COLUMNS.map((column) => [column, values[column]]);
      return `${JSON.stringify(Object.fromEntries(named))}\n`;
    })
    .join("");
}
