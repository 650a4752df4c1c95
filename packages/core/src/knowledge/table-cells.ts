import type { StoredTableColumn } from "@parley/db";
// Threads import this module, and find no packages of the workspace.
import type { SentCell, TABLE_LIMITS } from "@parley/schema";

/** A cell as it is stored: a time as milliseconds. */
export type Cell = string | number | boolean | null;

/** What rows may hold. */
export type RowLimits = Pick<
  typeof TABLE_LIMITS,
  "columns" | "rows" | "cellCharacters" | "rowBytes"
>;

type ColumnType = StoredTableColumn["type"];

/** What values of a type are, for messages. */
const described: Readonly<Record<ColumnType, string>> = {
  text: "a text",
  int: "a number",
  float: "a number",
  bool: "true or false",
  datetime: "a time such as 2026-01-31T09:00:00Z",
};

/** Why a value cannot be in a column. */
export const unfit = ({ name, type }: StoredTableColumn): string =>
  `must be ${described[type]}, as the other values of the column ${JSON.stringify(name)}`;

/** A column without a type until it has a value. */
interface OpenColumn {
  readonly name: string;
  type: ColumnType | undefined;
}

/** Rows as they are stored, or the first fault in them. */
export type FittedRows =
  | { readonly columns: readonly StoredTableColumn[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly path: string; readonly message: string };

/**
 * Fits rows, each with its cells by the names of their columns, to the columns of a table: columns that it does not have
 * are added, and whole numbers become numbers with a fraction where one has a fraction.
 */
export function fitRows(
  columns: readonly StoredTableColumn[],
  sent: readonly { readonly value: Readonly<Record<string, SentCell>> }[],
  limits: RowLimits,
): FittedRows {
  const open: OpenColumn[] = columns.map((column) => ({ ...column }));
  const places = new Map(open.map(({ name }, place) => [name, place]));
  const rows: Cell[][] = [];
  for (const [index, { value }] of sent.entries()) {
    const row: Cell[] = [];
    for (const [name, given] of Object.entries(value)) {
      const path = `rows[${index}].value.${name}`;
      const place = places.get(name) ?? open.length;
      if (place === limits.columns) {
        return { path, message: `a table may have ${limits.columns} columns` };
      }
      if (place === open.length) {
        places.set(name, place);
        open.push({ name, type: undefined });
      }
      const column = open[place]!;
      const fitted = fitCell(column.type, given);
      if (fitted === undefined) return { path, message: unfit(column as StoredTableColumn) };
      column.type = fitted.type;
      row[place] = fitted.cell;
    }
    const cells = Array.from({ length: row.length }, (_, place) => row[place] ?? null);
    const message = faultOfRow(cells, limits);
    if (message !== undefined) return { path: `rows[${index}].value`, message };
    rows.push(cells);
  }
  // A column of nothing may hold any text.
  const typed = open.map(({ name, type }) => ({ name, type: type ?? "text" }) as const);
  return { columns: typed, rows };
}

/** Why a row is refused as a whole; undefined for one that is not. */
export function faultOfRow(cells: readonly Cell[], { rowBytes }: RowLimits): string | undefined {
  if (Buffer.byteLength(JSON.stringify(cells)) <= rowBytes) return undefined;
  return `must be at most ${rowBytes} bytes as JSON`;
}

/** The cell of a value with the type that its column then has; undefined if the column has another. */
function fitCell(
  type: ColumnType | undefined,
  value: SentCell,
): { readonly cell: Cell; readonly type: ColumnType | undefined } | undefined {
  if (value === null) return { cell: null, type };
  if (typeof value === "number") {
    const own = Number.isSafeInteger(value) ? "int" : "float";
    if (type === undefined || type === own) return { cell: value, type: own };
    return type === "int" || type === "float" ? { cell: value, type: "float" } : undefined;
  }
  if (typeof value === "string" && type === "datetime") {
    const time = readCell("datetime", value);
    return time === undefined ? undefined : { cell: time, type };
  }
  const own = typeof value === "string" ? "text" : typeof value === "boolean" ? "bool" : "datetime";
  if (type !== undefined && type !== own) return undefined;
  return { cell: typeof value === "object" ? value.epoch : value, type: own };
}

const INTEGER = /^[+-]?(?:0|[1-9]\d*)$/;
const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** Digits that a number keeps. */
const MAX_DIGITS = 15;
const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The value that a text is in a column of this type; undefined for none. An empty text is null. */
export function readCell(type: ColumnType, given: string): Cell | undefined {
  if (type === "text") return given === "" ? null : given;
  const text = given.trim();
  if (text === "") return null;
  if (type === "bool") return { true: true, false: false }[text.toLowerCase()];
  if (type === "datetime") return readTime(text);
  const isNumber = (type === "int" ? INTEGER : NUMBER).test(text);
  const digits = text.replace(/[eE].*$/, "").replaceAll(/\D/g, "").length;
  const number = Number(text);
  return isNumber && digits <= MAX_DIGITS && Number.isFinite(number) ? number : undefined;
}

/** Milliseconds of a date or time in ISO 8601, in UTC unless it says otherwise; undefined for other texts. */
function readTime(text: string): number | undefined {
  const [, date, time, zone = "Z"] = TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const day = Date.parse(`${date}T00:00Z`);
  // Dates of 30 February are taken for others.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return undefined;
  if (time === undefined) return day;
  const instant = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(instant) ? undefined : instant;
}

const inferred = ["bool", "int", "float", "datetime"] as const;

/** The type of which all texts of a column are; `text` if there is none, or no text. */
export function typeOf(texts: readonly string[]): ColumnType {
  const given = texts.filter((text) => text.trim() !== "");
  if (given.length === 0) return "text";
  const isOf = (type: ColumnType) => given.every((text) => readCell(type, text) !== undefined);
  return inferred.find(isOf) ?? "text";
}

/** A time as text: a date alone for the first instant of a day. */
export function writeTime(epoch: number): string {
  const text = new Date(epoch).toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, -"T00:00:00.000Z".length) : text;
}
