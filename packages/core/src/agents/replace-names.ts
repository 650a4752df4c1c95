/** An agent or a user that a text may name. */
export interface Named {
  readonly kind: "agent" | "user";
  readonly sid: string;
  readonly name: string;
}

/** Places with an @ that are looked at: bounds the time that a text takes. */
const MAX_PLACES = 1000;

const directives = { agent: ":mention", user: ":mention_user" } as const;

/**
 * Replaces each known name after an @ by a directive with its id, and gives what was found, in order. The
 * longest name counts, in any case; of several with one name the first. An @ within a word is not a mention.
 */
export function replaceNames(
  text: string,
  known: readonly Named[],
): { text: string; found: Named[] } {
  const byName = new Map<string, Named>();
  for (const one of known.toReversed()) byName.set(one.name.toLowerCase(), one);
  const lengths = [...new Set(known.map(({ name }) => name.length))].toSorted((a, b) => b - a);
  const found: Named[] = [];
  let written = "";
  let end = 0;
  let places = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", Math.max(at + 1, end))) {
    if (++places > MAX_PLACES) break;
    if (isWordCharacter(text.slice(Math.max(0, at - 2), at))) continue;
    const one = longestAt(text, at + 1, { byName, lengths });
    if (one === undefined) continue;
    found.push(one);
    const label = one.name.replaceAll(/[[\]\\]/g, String.raw`\$&`);
    written += `${text.slice(end, at)}${directives[one.kind]}[${label}]{sId=${one.sid}}`;
    end = at + 1 + one.name.length;
  }
  return { text: written + text.slice(end), found };
}

function longestAt(
  text: string,
  from: number,
  { byName, lengths }: { byName: ReadonlyMap<string, Named>; lengths: readonly number[] },
): Named | undefined {
  for (const length of lengths) {
    const one = byName.get(text.slice(from, from + length).toLowerCase());
    // The name may continue: "@Ann" is not in "@Anna".
    if (
      one !== undefined &&
      !/^[\p{L}\p{N}_]/u.test(text.slice(from + length, from + length + 2))
    ) {
      return one;
    }
  }
  return undefined;
}

function isWordCharacter(before: string): boolean {
  return /[\p{L}\p{N}_]$/u.test(before);
}
