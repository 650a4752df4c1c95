import { plain } from "@parley/command/print";
import type { MarkdownNode } from "./parse-blocks.ts";
import type { Theme } from "./theme.ts";

/** Text in a line. Entities such as `&#13;` are decoded by now, and may be what moves the cursor. */
const leaf = (text: string): string => plain(text).replaceAll(/[\n\t]/g, " ");

/** The text of a paragraph, a heading or a cell, with its styles; its line breaks are kept. */
export function renderInline(nodes: readonly MarkdownNode[], theme: Theme): string {
  return nodes.map((node) => renderNode(node, theme)).join("");
}

function renderNode({ token, children }: MarkdownNode, theme: Theme): string {
  const inside = () => renderInline(children, theme);
  switch (token.type) {
    case "strong_open":
      return theme.strong(inside());
    case "em_open":
      return theme.emphasis(inside());
    case "s_open":
      return theme.deleted(inside());
    case "code_inline":
      return theme.code(leaf(token.content));
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "link_open":
      return renderLink(inside(), token.attrGet("href"), theme);
    case "image":
      return renderLink(`[${leaf(token.content)}]`, token.attrGet("src"), theme);
    case "inline":
      return inside();
    default:
      return leaf(token.content);
  }
}

/** A link shows where it leads: a terminal would hide it, and the text could name another place. */
function renderLink(text: string, target: string | number | null, theme: Theme): string {
  const url = leaf(String(target ?? ""));
  if (url === "" || text === url) return theme.link(text);
  return `${text} ${theme.quiet("(")}${theme.link(url)}${theme.quiet(")")}`;
}
