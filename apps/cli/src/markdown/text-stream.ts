import { plain } from "@parley/command/print";
import wrapAnsi from "wrap-ansi";
import type { TextStream } from "./markdown-stream.ts";
import type { Rendering } from "./theme.ts";

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
