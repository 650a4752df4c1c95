const MAX_CHARACTERS = 80;

/** The first words of a message: a title of at most 80 characters, on one line, never empty. */
export function deriveTitle(content: string): string {
  const line = cut(content, 1000).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "New conversation";
  if (line.length <= MAX_CHARACTERS) return line.toWellFormed();
  const lastSpace = line.lastIndexOf(" ", MAX_CHARACTERS - 1);
  const words = lastSpace > 0 ? line.slice(0, lastSpace) : cut(line, MAX_CHARACTERS - 1);
  return `${words}…`.toWellFormed();
}

/** The first characters of a text, but not half of one. */
function cut(text: string, characters: number): string {
  return text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, "");
}
