import { createHash } from "node:crypto";

/** What every service takes as the name of a tool; slugs of functions may be longer. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 12;

/** The name under which a service is told of a tool: its own, or one made of it where that is long. */
export function toSentName(name: string): string {
  if (name.length <= MAX_CHARACTERS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}-${hash}`;
}

/** The tool that a service means; a name that it has made up stays as it is. */
export function fromSentName(sent: string, tools: readonly { readonly name: string }[]): string {
  return tools.find(({ name }) => toSentName(name) === sent)?.name ?? sent;
}
