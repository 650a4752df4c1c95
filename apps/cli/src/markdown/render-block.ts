import { plain } from "@parley/command/print";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { highlightCode } from "./highlight-code.ts";
import type { MarkdownNode } from "./parse-blocks.ts";
import { renderInline } from "./render-inline.ts";
import { renderTable } from "./render-table.ts";
import type { Rendering } from "./theme.ts";

/** Longer lines of prose are hard to read, however wide the terminal is. */
const MAX_PROSE_WIDTH = 100;
/** Blocks that are deep in others still have this much, even if it is too much for the terminal. */
const MIN_WIDTH = 8;

/** The lines of a block, none of which is wider than the rendering, if it has 16 columns or more. */
export function renderBlock({ token, children }: MarkdownNode, rendering: Rendering): string[] {
  const { theme, width } = rendering;
  switch (token.type) {
    case "heading_open":
      return wrap(
        theme.heading(renderInline(children, theme), Number(token.tag.slice(1))),
        rendering,
      );
    case "paragraph_open":
      return wrap(renderInline(children, theme), rendering);
    case "bullet_list_open":
    case "ordered_list_open":
      return renderList({ token, children }, rendering);
    case "blockquote_open":
      return renderIndented(children, rendering, [`${theme.quiet("│")} `, `${theme.quiet("│")} `]);
    case "fence":
    case "code_block":
      return renderCode(token.content, token.info, rendering);
    case "hr":
      return [theme.quiet("─".repeat(Math.min(width, 40)))];
    case "table_open":
      return renderTable(children, rendering);
    default:
      return wrap(plain(token.content), rendering);
  }
}

function wrap(text: string, { width }: Rendering): string[] {
  const columns = Math.max(MIN_WIDTH, Math.min(width, MAX_PROSE_WIDTH));
  return wrapAnsi(text, columns, { hard: true }).split("\n");
}

function renderList({ token, children }: MarkdownNode, rendering: Rendering): string[] {
  const isOrdered = token.type === "ordered_list_open";
  const first = Number(token.attrGet("start") ?? 1);
  const isLoose = children.some((item) => item.children.some(isShownParagraph));
  const widest = isOrdered ? String(first + children.length - 1).length + 2 : 2;
  return children.flatMap((item, index) => {
    const mark = (isOrdered ? `${first + index}. ` : "• ").padStart(widest);
    const lines = renderIndented(item.children, rendering, [
      rendering.theme.quiet(mark),
      " ".repeat(widest),
    ]);
    return isLoose && index > 0 ? ["", ...lines] : lines;
  });
}

/** The paragraphs of tight lists are hidden. */
const isShownParagraph = ({ token }: MarkdownNode): boolean =>
  token.type === "paragraph_open" && !token.hidden;

/** Blocks after a mark on their first line, and another one on the others. */
function renderIndented(
  nodes: readonly MarkdownNode[],
  { theme, width }: Rendering,
  [first, others]: readonly [string, string],
): string[] {
  const inner = { theme, width: Math.max(MIN_WIDTH, width - stringWidth(first)) };
  const lines = nodes.flatMap((node, index) => {
    const block = renderBlock(node, inner);
    const isTight = index === 0 || node.token.hidden || node.token.type.endsWith("_list_open");
    return isTight ? block : ["", ...block];
  });
  if (lines.length === 0) return [first.trimEnd()];
  return lines.map((line, index) => ((index === 0 ? first : others) + line).trimEnd());
}

/** Code between two lines, without a margin, so that it can be copied from the terminal. */
function renderCode(content: string, info: string, { theme, width }: Rendering): string[] {
  const code = plain(content.replace(/\n$/, "")).replaceAll("\t", "    ");
  const language = plain(/^\S*/.exec(info.trim())?.[0] ?? "").slice(0, 20);
  const lines = theme.isHighlighted ? highlightCode(code, language) : code.split("\n");
  const columns = Math.max(MIN_WIDTH, width);
  const rule = (text: string) =>
    theme.quiet(`${text}${"─".repeat(Math.max(2, Math.min(columns, 60) - stringWidth(text)))}`);
  return [
    rule(language === "" ? "╭─" : `╭─ ${language} `),
    ...lines.flatMap((line) =>
      wrapAnsi(line, columns, { hard: true, wordWrap: false, trim: false }).split("\n"),
    ),
    rule("╰─"),
  ];
}
