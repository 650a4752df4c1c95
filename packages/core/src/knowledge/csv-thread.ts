// Runs in a thread: see untrusted/thread.ts.
import type { StoredTableColumn } from "@parley/db";
import { CsvError, parse } from "csv-parse/sync";
import { type Cell, faultOfRow, readCell, type RowLimits, typeOf, unfit } from "./table-cells.ts";

/** A table as CSV, and the columns that it is added to. */
export interface GivenCsv {
  readonly csv: string;
  readonly columns: readonly StoredTableColumn[];
  readonly limits: RowLimits;
}

/** The rows of a table, or what is wrong with it. */
export type ReadCsv =
  | {
      readonly columns: readonly StoredTableColumn[];
      /** The cells of each row as JSON. */
      readonly rows: readonly string[];
    }
  | { readonly fault: string };

/** The separators, as messages name them. */
const delimiters = [",", ";", "\t"];

/** Reads a table: names in the first line, then rows. The types of new columns are those of all of their values. */
export function readCsv({ csv, columns: before, limits }: GivenCsv): ReadCsv {
  const parsed = parseLines(csv);
  if ("fault" in parsed) return parsed;
  const [header = [], ...records] = parsed.lines;
  const names = header.map((name) => name.trim());
  const fault = faultOfNames(names);
  if (fault !== undefined) return { fault };
  if (records.length > limits.rows) {
    return { fault: `has ${records.length} rows, and a table may have ${limits.rows}` };
  }
  const known = new Map(before.map((column, place) => [column.name, { column, place }]));
  const columns = [...before];
  // Where the cells of each column of the file are stored.
  const places = names.map((name, index) => {
    const texts = () => records.map((record) => record[index] ?? "");
    const existing = known.get(name);
    if (existing === undefined) return columns.push({ name, type: typeOf(texts()) }) - 1;
    const { column, place } = existing;
    if (column.type === "int" && typeOf(texts()) === "float") {
      columns[place] = { ...column, type: "float" };
    }
    return place;
  });
  if (columns.length > limits.columns) {
    return {
      fault: `a table may have ${limits.columns} columns, and this has ${columns.length}`,
    };
  }
  const rows: string[] = [];
  for (const [number, record] of records.entries()) {
    const of = (name: string) => `row ${number + 1}, column ${JSON.stringify(name)}`;
    const cells: Cell[] = columns.map(() => null);
    for (const [index, text] of record.entries()) {
      const column = columns[places[index]!]!;
      if (text.length > limits.cellCharacters) {
        return {
          fault: `${of(column.name)}: must be at most ${limits.cellCharacters} characters`,
        };
      }
      const cell = readCell(column.type, text);
      if (cell === undefined) {
        return {
          fault: `${of(column.name)}: ${JSON.stringify(text.slice(0, 100))} ${unfit(column)}`,
        };
      }
      cells[places[index]!] = cell;
    }
    const tooLong = faultOfRow(cells, limits);
    if (tooLong !== undefined) return { fault: `row ${number + 1}: ${tooLong}` };
    rows.push(JSON.stringify(cells));
  }
  return { columns, rows };
}

function faultOfNames(names: readonly string[]): string | undefined {
  for (const [index, name] of names.entries()) {
    const place = `the name of column ${index + 1}`;
    if (name === "") return `${place} is empty: the first line has the names of the columns`;
    if (name.length > 255) return `${place} must be at most 255 characters`;
    const first = names.indexOf(name);
    if (first < index)
      return `${place}, ${JSON.stringify(name)}, is that of column ${first + 1} too`;
  }
  return undefined;
}

function parseLines(csv: string): { readonly lines: string[][] } | { readonly fault: string } {
  const [first = ""] = csv.split(/[\r\n]/, 1);
  const count = (delimiter: string) => first.split(delimiter).length;
  const [delimiter = ","] = delimiters.toSorted((a, b) => count(b) - count(a));
  try {
    const lines = parse(csv, {
      bom: true,
      delimiter,
      skip_empty_lines: true,
      relax_column_count: false,
    });
    return lines.length === 0
      ? { fault: "must have a line with the names of the columns" }
      : { lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { fault: describeError(error) };
  }
}

function describeError({
  code,
  lines,
  column,
  record,
  message,
}: CsvError & Record<string, unknown>) {
  switch (code) {
    case "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH":
      return `line ${String(lines)} has ${(record as string[]).length} cells, unlike the first line`;
    case "CSV_QUOTE_NOT_CLOSED":
      return "a quote is opened and never closed";
    case "INVALID_OPENING_QUOTE":
    case "CSV_INVALID_CLOSING_QUOTE":
      return `line ${String(lines)}, column ${String(Number(column) + 1)}: a quote must enclose the whole cell, and stand twice within one`;
    default:
      return message;
  }
}
