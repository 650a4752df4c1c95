import MarkdownIt, { type Token } from "markdown-it";

/** A token with what is between it and the token that closes it. */
export interface MarkdownNode {
  readonly token: Token;
  readonly children: MarkdownNode[];
}

/** A block that is in no other one. */
export interface Block {
  readonly node: MarkdownNode;
  /** The line of the source that it begins with, from 0. */
  readonly firstLine: number;
}

// HTML is shown as it was written, and bare URLs are found by terminals themselves.
const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false });

/** The blocks of a text, in order. Each but the last stays as it is, whatever is written after it. */
export function parseBlocks(source: string): Block[] {
  return nest(parser.parse(source, {})).map((node) => ({
    node,
    firstLine: node.token.map?.[0] ?? 0,
  }));
}

function nest(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) {
      open.pop();
      continue;
    }
    const children = token.children === null ? [] : nest(token.children);
    const node = { token, children };
    open.at(-1)?.push(node);
    if (token.nesting > 0) open.push(children);
  }
  return root;
}
