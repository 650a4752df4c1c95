/** A row of a table: its cells by the name of their column. */
export type Row = Readonly<Record<string, string | number | undefined>>;

/** Renders rows under their column names: numbers to the right, what is missing as `-`. */
export function renderTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => {
    const cells = rows.map((row) => formatCell(row[name]));
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const isNumber = rows.some((row) => typeof row[name] === "number");
    const pad = (cell: string) => (isNumber ? cell.padStart(width) : cell.padEnd(width));
    return { name: pad(name), rule: "-".repeat(width), cells: cells.map(pad) };
  });
  const lines = [
    columns.map(({ name }) => name),
    columns.map(({ rule }) => rule),
    ...rows.map((_, index) => columns.map(({ cells }) => cells[index] ?? "")),
  ];
  return lines.map((cells) => `${cells.join("  ").trimEnd()}\n`).join("");
}

/** Three significant digits below a hundred, whole numbers above. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function formatCell(cell: string | number | undefined): string {
  return typeof cell === "number" ? formatNumber(cell) : (cell ?? "-");
}
