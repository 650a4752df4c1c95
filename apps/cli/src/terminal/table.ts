import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import { oneLine } from "../plain.ts";
import { fitWidths } from "./fit-widths.ts";
import { bold } from "./style.ts";

const GAP = "  ";
/** Columns are not cut below this, even where a line is then too long. */
const MIN_WIDTH = 8;

/**
 * The lines of a table, under its headings. On a terminal the widest columns are cut until its lines fit, in a
 * pipe they are whole. Cells may be what others wrote.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined = process.stdout.isTTY ? process.stdout.columns : undefined,
): string[] {
  const table = [headings, ...rows.map((row) => row.map(oneLine))];
  const widths = fitWidths(
    headings.map((_heading, at) => Math.max(...table.map((row) => stringWidth(row[at] ?? "")))),
    (columns ?? Number.POSITIVE_INFINITY) - GAP.length * (headings.length - 1),
    MIN_WIDTH,
  );
  const lines = table.map((row) =>
    row
      .map((cell, at) => fill(cell, widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return [bold(lines[0] ?? ""), ...lines.slice(1)];
}

function fill(cell: string, width: number): string {
  const cut = cliTruncate(cell, width);
  return cut + " ".repeat(Math.max(0, width - stringWidth(cut)));
}
