import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { fitWidths } from "../terminal/table.ts";
import type { MarkdownNode } from "./parse-blocks.ts";
import { renderInline } from "./render-inline.ts";
import type { Rendering } from "./theme.ts";

const MIN_CELL_WIDTH = 6;

interface Cell {
  readonly text: string;
  readonly align: string;
}

/** A table whose cells are wrapped until it fits; if its columns are too many, a row is a list of its cells. */
export function renderTable(sections: readonly MarkdownNode[], rendering: Rendering): string[] {
  const { theme, width } = rendering;
  const rows = sections.flatMap((section) =>
    section.children.map((row) => row.children.map((cell) => readCell(cell, rendering))),
  );
  const [headings = [], ...body] = rows;
  const natural = headings.map((_cell, at) =>
    Math.max(1, ...rows.map((row) => widthOf(row[at]?.text ?? ""))),
  );
  const room = width - 3 * (headings.length - 1);
  const widths = fitWidths(natural, room, MIN_CELL_WIDTH);
  if (widths.reduce((sum, one) => sum + one, 0) > room) return renderRecords(rows, rendering);
  const rule = theme.quiet(widths.map((one) => "─".repeat(one)).join("─┼─"));
  const bold = headings.map((cell) => ({ ...cell, text: theme.strong(cell.text) }));
  const separator = theme.quiet(" │ ");
  return [
    ...renderRow(theme.isHighlighted ? bold : headings, widths, separator),
    rule,
    ...body.flatMap((row) => renderRow(row, widths, separator)),
  ];
}

function readCell({ token, children }: MarkdownNode, { theme }: Rendering): Cell {
  const style = String(token.attrGet("style") ?? "");
  const [, align = "left"] = /text-align:(\w+)/.exec(style) ?? [];
  return { text: renderInline(children, theme), align };
}

const widthOf = (text: string): number =>
  Math.max(...text.split("\n").map((line) => stringWidth(line)));

/** A row has as many lines as its highest cell. */
function renderRow(row: readonly Cell[], widths: readonly number[], separator: string): string[] {
  const cells = widths.map((width, at) =>
    wrapAnsi(row[at]?.text ?? "", width, { hard: true }).split("\n"),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_line, index) =>
    widths
      .map((width, at) => fill(cells[at]?.[index] ?? "", width, row[at]?.align))
      .join(separator)
      .trimEnd(),
  );
}

function fill(text: string, width: number, to = "left"): string {
  const missing = Math.max(0, width - stringWidth(text));
  if (to === "right") return " ".repeat(missing) + text;
  const before = to === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

function renderRecords(
  [headings = [], ...body]: readonly Cell[][],
  { theme, width }: Rendering,
): string[] {
  return body.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap(({ text }, at) =>
      wrapAnsi(
        `${theme.strong(headings[at]?.text ?? "")}: ${text}`,
        Math.max(MIN_CELL_WIDTH, width),
        {
          hard: true,
        },
      ).split("\n"),
    ),
  ]);
}
