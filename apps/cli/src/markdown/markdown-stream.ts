import { plain } from "@parley/command/print";
import { type Block, parseBlocks } from "./parse-blocks.ts";
import { renderBlock } from "./render-block.ts";
import type { Rendering } from "./theme.ts";
import wrapAnsi from "wrap-ansi";

/** A text that is written bit by bit, as lines of a terminal. */
export interface TextStream {
  add(text: string): void;
  /**
   * Takes the blocks that have been finished since the last time, and shows the one under way, which comes again;
   * `isStable` says whether lines above its last ones stay as they are.
   */
  take(rendering: Rendering): TakenLines;
  /** Takes all that is left, as finished. */
  end(rendering: Rendering): readonly (readonly string[])[];
}

export interface TakenLines {
  readonly finished: readonly (readonly string[])[];
  readonly open: readonly string[];
  readonly isStable: boolean;
}

/** Makes a stream of Markdown; what it is given may hold anything. */
export function createMarkdownStream(): TextStream {
  let source = "";
  /** The rest of a line can make it part of the block before, so whole lines alone finish blocks. */
  const takeFinished = (): Block[] => {
    const blocks = parseBlocks(source.slice(0, source.lastIndexOf("\n") + 1));
    const last = blocks.pop();
    if (last !== undefined) source = source.split("\n").slice(last.firstLine).join("\n");
    return blocks;
  };
  const takeAll = (): Block[] => {
    const blocks = parseBlocks(source);
    source = "";
    return blocks;
  };
  const renderEach = (blocks: readonly Block[], rendering: Rendering) =>
    blocks.map(({ node }) => renderBlock(node, rendering));
  return {
    add: (text) => void (source += plain(text)),
    take: (rendering) => {
      const finished = renderEach(takeFinished(), rendering);
      const open = parseBlocks(source);
      return {
        finished,
        open: joinBlocks(renderEach(open, rendering)),
        // A new row can widen a column.
        isStable: open.every(({ node }) => node.token.type !== "table_open"),
      };
    },
    end: (rendering) => renderEach(takeAll(), rendering),
  };
}

/** The lines of blocks, with an empty one between two. */
export const joinBlocks = (blocks: readonly (readonly string[])[]): string[] =>
  blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));

/** Makes a stream of text without marks, such as a model's reasoning: its paragraphs are its blocks. */
export function createTextStream(): TextStream {
  let source = "";
  const render = (paragraph: string, { theme, width }: Rendering): string[] =>
    wrapAnsi(paragraph.replaceAll("\t", "    "), width, { hard: true })
      .split("\n")
      .map(theme.quiet);
  const takeParagraphs = (): string[] => {
    const paragraphs = source.split(/\n{2,}/);
    source = paragraphs.pop() ?? "";
    return paragraphs.filter((paragraph) => paragraph.trim() !== "");
  };
  return {
    add: (text) => void (source += plain(text)),
    take: (rendering) => ({
      finished: takeParagraphs().map((paragraph) => render(paragraph, rendering)),
      open: source.trim() === "" ? [] : render(source, rendering),
      isStable: true,
    }),
    end: (rendering) => {
      source += "\n\n";
      return takeParagraphs().map((paragraph) => render(paragraph, rendering));
    },
  };
}
