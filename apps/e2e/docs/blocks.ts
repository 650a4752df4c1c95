import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../server.ts";

/** A fenced block of a page. */
export interface Block {
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why nobody runs it, as the comment above it says. */
  readonly reason?: string;
  /** What the page says that it prints: the block right behind it. */
  readonly shown?: Block;
}

const fenced = /(?:^<!-- not run: (.+) -->\n+)?^```(\w*)\n([^]*?)^```$/gm;
const runnable = new Set(["sh", "js", "ts", "python"]);
const output = new Set(["json", "text", "http"]);

/** The blocks of a page that can be run, in their order. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(path.join(root, page), "utf8");
  const found = [...text.matchAll(fenced)].map((match) => {
    const [all, reason, language = "", body = ""] = match;
    const fence = match.index + all.indexOf("```");
    const line = text.slice(0, fence).split("\n").length;
    const block: Block = { line, language, text: body, ...(reason !== undefined && { reason }) };
    return { block, begins: match.index, ends: match.index + all.length };
  });
  return found.flatMap(({ block, ends }, index) => {
    if (!runnable.has(block.language)) return [];
    const next = found[index + 1];
    const isShown =
      next !== undefined &&
      output.has(next.block.language) &&
      text.slice(ends, next.begins).trim() === "";
    return [isShown ? { ...block, shown: next.block } : block];
  });
}
