const BEGIN = "<!-- bench all: begin -->";
const END = "<!-- bench all: end -->";

/** Replaces what is between the marks of a page. Throws unless each mark is there once, in order. */
export function replaceBlock(page: string, content: string): string {
  const [before, rest, ...furtherBegins] = page.split(BEGIN);
  const [replaced, after, ...furtherEnds] = rest?.split(END) ?? [];
  const areTwice = furtherBegins.length > 0 || furtherEnds.length > 0;
  if (replaced === undefined || after === undefined || areTwice) {
    throw new Error(`The page must have one block from ${BEGIN} to ${END}`);
  }
  return `${before}${BEGIN}\n\n${content.trim()}\n\n${END}${after}`;
}
