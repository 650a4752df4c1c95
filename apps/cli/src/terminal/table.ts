import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";
import { bold } from "@parley/command/style";
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";

const GAP = "  ";
/** A column that would be cut below this is left out, from the right. */
const MIN_WIDTH = 8;

/**
 * The lines of a table, under its headings. On a terminal the widest columns but the first, which names a row, are cut
 * until its lines fit; in a pipe they are whole. Cells may be what others wrote.
 */
export function renderTable(
  io: Pick<Io, "columns" | "environment" | "isTerminal">,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const table = [headings, ...rows.map((row) => row.map(oneLine))];
  const widths = fitColumns(
    headings.map((_heading, at) => Math.max(...table.map((row) => stringWidth(row[at] ?? "")))),
    io.columns,
  );
  const lines = table.map((row) =>
    widths
      .map((width, at) => fill(row[at] ?? "", width))
      .join(GAP)
      .trimEnd(),
  );
  return [bold(io, lines[0] ?? ""), ...lines.slice(1)];
}

/** The widths of the columns that fit; the others are left out. */
function fitColumns(wanted: readonly number[], columns = Number.POSITIVE_INFINITY): number[] {
  const [first = 0, ...others] = wanted;
  for (let count = others.length; count > 0; count--) {
    const room = columns - first - GAP.length * count;
    const widths = fitWidths(others.slice(0, count), room, MIN_WIDTH);
    if (widths.reduce((sum, width) => sum + width, 0) <= room) return [first, ...widths];
  }
  return [Math.min(first, columns)];
}

function fill(cell: string, width: number): string {
  const cut = cliTruncate(cell, width);
  return cut + " ".repeat(Math.max(0, width - stringWidth(cut)));
}

/** Widths of columns that are at most `room` together: the widest are narrowed, none below `least`. */
export function fitWidths(wanted: readonly number[], room: number, least: number): number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width, 0);
  while (total() > room) {
    const widest = Math.max(...widths);
    if (widest <= least) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}
