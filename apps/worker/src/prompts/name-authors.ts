import type { HistoryRow } from "@parley/core";

/** Longest name that a model is told. */
const MAX_CHARACTERS = 100;

/**
 * The authors that a model is told of, by the ids of their messages: other agents, and users from the second one on.
 * What is told of a message depends on it and on those before it, so that it stays the same in later turns. A
 * conversation of one user and one agent names nobody.
 */
export function nameAuthors(
  history: readonly Pick<HistoryRow, "sid" | "author">[],
  agentId: string,
): Map<string, string> {
  const users = new Set<string>();
  const names = new Map<string, string>();
  for (const { sid, author } of history) {
    if (author === null) continue;
    const { kind, id, name } = author;
    if (kind === "user") users.add(id);
    const isNamed = kind === "user" ? users.size > 1 : id !== agentId;
    if (isNamed) names.set(sid, `${kind} ${quote(name)}`);
  }
  return names;
}

/** A name as data: on one line, in quotation marks, and without brackets that could end what it stands in. */
function quote(name: string): string {
  const short = name.slice(0, MAX_CHARACTERS).toWellFormed();
  return JSON.stringify(short).replaceAll(/[<>\u0085\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
