import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import { oneLine } from "../plain.ts";
import { bold } from "./style.ts";

const GAP = "  ";
/** A column that would be cut below this is left out, from the right. */
const MIN_WIDTH = 8;

/**
 * The lines of a table, under its headings. On a terminal the widest columns but the first, which names a row, are cut
 * until its lines fit; in a pipe they are whole. Cells may be what others wrote.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined = process.stdout.isTTY ? process.stdout.columns : undefined,
): string[] {
  const table = [headings, ...rows.map((row) => row.map(oneLine))];
  const widths = fitWidths(
    headings.map((_heading, at) => Math.max(...table.map((row) => stringWidth(row[at] ?? "")))),
    columns,
  );
  const lines = table.map((row) =>
    widths
      .map((width, at) => fill(row[at] ?? "", width))
      .join(GAP)
      .trimEnd(),
  );
  return [bold(lines[0] ?? ""), ...lines.slice(1)];
}

/** The widths of the columns that fit. */
function fitWidths(wanted: readonly number[], columns = Number.POSITIVE_INFINITY): number[] {
  const [first = 0, ...widths] = wanted;
  const excess = (): number =>
    widths.reduce((sum, width) => sum + GAP.length + width, first) - columns;
  while (excess() > 0 && widths.length > 0) {
    const widest = Math.max(...widths);
    if (widest > MIN_WIDTH) widths[widths.lastIndexOf(widest)] = widest - 1;
    else widths.pop();
  }
  return [Math.min(first, columns), ...widths];
}

function fill(cell: string, width: number): string {
  const cut = cliTruncate(cell, width);
  return cut + " ".repeat(Math.max(0, width - stringWidth(cut)));
}
