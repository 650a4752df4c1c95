const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/**
 * Splits a Markdown text into blocks that render alone as they do together, so that those of a growing
 * text stay as they are: only the last one changes. Joined with line breaks they are the text. A text
 * with definitions, which one block may take from another, is one block.
 */
export function markdownBlocks(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    if (isAfterBlank && fence === undefined && line.trim() !== "" && endsBlock(block, line)) {
      blocks.push(block.join("\n"));
      block = [];
    }
    block.push(line);
    fence = fenceAfter(fence, line);
    isAfterBlank = line.trim() === "";
  }
  blocks.push(block.join("\n"));
  return blocks;
}

/** Whether a line after a blank one begins a new block: it continues no list and no indented part. */
function endsBlock(block: readonly string[], line: string): boolean {
  if (/^\s/.test(line)) return false;
  const isList = block.some((one) => LIST_ITEM.test(one));
  return !(isList && LIST_ITEM.test(line));
}

/** The fence that is open after a line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (open === undefined) return mark;
  const isEnd = mark?.startsWith(open) === true && line.trim() === mark;
  return isEnd ? undefined : open;
}
