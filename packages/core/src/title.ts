const MAX_CHARACTERS = 80;

/** The first words of a message: a title of at most 80 characters, on one line, never empty. */
export function deriveTitle(content: string): string {
  const line = content.slice(0, 1000).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "New conversation";
  if (line.length <= MAX_CHARACTERS) return line.toWellFormed();
  const cut = line.slice(0, MAX_CHARACTERS);
  const lastSpace = cut.lastIndexOf(" ");
  // A first word longer than a title is cut, but not inside a character.
  const words = lastSpace > 0 ? cut.slice(0, lastSpace) : cut.replace(/[\uD800-\uDBFF]$/, "");
  return `${words}…`.toWellFormed();
}
