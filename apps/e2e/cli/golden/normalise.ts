import type { Entry } from "./entry.ts";
import type { World } from "./world.ts";
import { runOn } from "@parley/db/testing";

/** As wide as what it stands for, so that tables keep their widths. */
const padded = (word: string, text: string): string =>
  word.padEnd(text.length, "_").slice(0, text.length);

const everywhere: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z)?/g, "TIME"],
  [/(?<=\b127\.0\.0\.1:)\d+/g, "PORT"],
  // A PostgreSQL that needs no passwords does not know the user.
  [
    /password authentication failed for user "parley_nobody"|role "parley_nobody" does not exist/g,
    "REFUSED",
  ],
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "UUID"],
  [/^[\w-]{43}$/gm, "SECRET"],
  [/\b(?:(?:sk|sc|ut)-\w{20,}|whsec_[\w+/=]{20,})/g, "SECRET"],
  [/\b\d+(?= ms\b)/g, "N"],
  // Data sources have no rows of their own.
  [/(?<=\bdts_)[A-Za-z0-9]{10}\b/g, "ID________"],
  [/(?<="\w*(?:[aA]t|created|updated|Ms|times?|timestamp)":)\d+/g, "0"],
  // A worker counts it when there is time.
  [/(?<="?storedBytes"?: ?)\d+/g, "BYTES"],
  // Of an encryption key, which each run of the tests generates.
  [/(?<=keyId"?: ?"?)[\da-f]{12}\b/g, "KEY"],
  [/(?<=editedBy"?: ?)\d+/g, "0"],
  // Numbers of rows, which count what other runs have made too.
  [/(?<="(?:\w+I|i)d":|^\s*(?:\w+I|i)d: )\d+\b/gm, "0"],
  [/\b1[6-9]\d{11}\b/g, "MILLISECONDS"],
];

const query = `select string_agg(format('select sid from %I', relname), ' union all ') as query
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attname = 'sid'`;

/** Every id of a server. */
export async function readIds(databaseUrl: string): Promise<string[]> {
  const [row] = await runOn<{ query: string }>(databaseUrl, query);
  const rows = await runOn<{ sid: string }>(databaseUrl, row?.query ?? "select");
  // Ids of the demo that are words stay.
  return rows.map(({ sid }) => sid).filter((sid) => /^(?:[a-z]{3}_)?[A-Za-z0-9]{10}$/.test(sid));
}

interface Known {
  readonly world: Pick<World, "home">;
  readonly ids: readonly string[];
  readonly version: string;
}

/** The output of a run without what differs between two runs. */
export function normalise(
  text: string,
  { world, ids, version }: Known,
  { varying = [] }: Entry,
): string {
  let found = text.replaceAll("\r\n", "\n").replaceAll(world.home, "HOME");
  for (const [pattern, word] of varying) found = found.replaceAll(pattern, word);
  for (const id of ids) {
    const prefix = /^[a-z]{3}_/.exec(id)?.[0] ?? "";
    found = found.replaceAll(id, prefix + padded("ID", id.slice(prefix.length)));
  }
  // Tables cut what is too wide for them. Times first: the rest of one may be the beginning of an id.
  found = found.replaceAll(/\b20\d\d-[\d-]+(?: [\d:]*)?…/g, (cut) => padded("TIME", cut));
  found = found.replaceAll(/([a-z]{3}_)?([A-Za-z0-9]{1,10})…/g, (cut, prefix = "", start) => {
    // A letter or two may begin an id by chance.
    const isLong = prefix !== "" || String(start).length > 3;
    const isId = isLong && ids.some((id) => id.startsWith(`${prefix}${start}`));
    return isId ? `${prefix}${padded("ID", String(start))}…` : cut;
  });
  found = found.replaceAll(version, "VERSION");
  for (const [pattern, word] of everywhere) {
    found = found.replaceAll(pattern, (matched) =>
      word === "TIME" ? padded(word, matched) : word,
    );
  }
  return found;
}
