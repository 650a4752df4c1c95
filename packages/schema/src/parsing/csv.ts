type Cell = string | number | boolean | null;

/** A row of a table: its cells by the names of the columns. */
export type CsvRow = Readonly<Record<string, Cell>>;

/** Writes rows as CSV (RFC 4180), after a line with the names of the columns unless `hasNames` is false. */
export function toCsv(
  columns: readonly string[],
  rows: readonly CsvRow[],
  { hasNames = true }: { readonly hasNames?: boolean } = {},
): string {
  const lines = rows.map((row) => columns.map((name) => row[name] ?? null));
  return [...(hasNames ? [columns] : []), ...lines]
    .map((cells) => `${cells.map(writeCell).join(",")}\r\n`)
    .join("");
}

/** Text that a spreadsheet would take for a formula begins with an apostrophe, so that it is shown. */
function writeCell(cell: Cell): string {
  if (typeof cell !== "string") return cell === null ? "" : String(cell);
  const shown = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
