import {
  type AnalyticsTable,
  type ExportAnalytics,
  invalidRequest,
  toCsv,
  toListedTimezone,
} from "@parley/schema";
import type { Context } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import type { ReadableFile } from "../files/files.ts";
import { readableText } from "../files/readable-text.ts";
import { MAX_ROWS, tables } from "./tables.ts";

const MAX_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Exports a table of the use of the workspace in a range of days. Throws `invalid_request_error` for a range
 * that is too long, or that has too many rows.
 */
export async function exportAnalytics(
  context: Context,
  input: ExportAnalytics,
): Promise<ReadableFile> {
  const { caller } = context;
  const { table, startDate, endDate, format } = input;
  requireRange(input);
  const { columns, statement } = tables[table];
  // The time grows with the workspace.
  const { db } = onSlowDatabase(context).database;
  const rows = await statement.execute(db, {
    workspaceId: caller.workspace.id,
    apiKeyId: caller.apiKey.id,
    startDate,
    endDate,
    timezone: toListedTimezone(input.timezone ?? "UTC"),
  });
  if (rows.length > MAX_ROWS) {
    const message = `the range has more than ${MAX_ROWS} rows: ask for fewer days`;
    throw invalidRequest("query", [{ path: "endDate", message }]);
  }
  const fileName = fileNameOf(table, input);
  if (format === "json") {
    return readableText(JSON.stringify(rows), { contentType: "application/json", fileName });
  }
  const contentType = "text/csv; charset=utf-8";
  return readableText(toCsv(columns, rows), { contentType, fileName });
}

function fileNameOf(
  table: AnalyticsTable,
  { startDate, endDate, format }: ExportAnalytics,
): string {
  return `${table}_${startDate}_${endDate}.${format}`;
}

function requireRange({ startDate, endDate }: ExportAnalytics): void {
  const days = (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_DAYS) return;
  const message = `must not be before startDate, and at most ${MAX_DAYS} days after it`;
  throw invalidRequest("query", [{ path: "endDate", message }]);
}
