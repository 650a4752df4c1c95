import { createHash } from "node:crypto";

/** Longest tool name that every service accepts; slugs of functions may be longer. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 12;

/** The name of a tool in requests to services: its own, or a shortened one with a hash. */
export function toSentName(name: string): string {
  if (name.length <= MAX_CHARACTERS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}-${hash}`;
}

/** The tool's own name for one that a service sent; an unknown name stays as it is. */
export function fromSentName(sent: string, tools: readonly { readonly name: string }[]): string {
  return tools.find(({ name }) => toSentName(name) === sent)?.name ?? sent;
}
