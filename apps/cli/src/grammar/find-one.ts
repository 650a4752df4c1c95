import { CommandError } from "@parley/command/command-error";
import { oneLine } from "@parley/command/print";
import { callServer } from "../connection/call-server.ts";

/** How a person names one of many. */
interface Names<Item> {
  readonly many: string;
  readonly one: string;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
}

/** How many candidates an error names. */
const NAMED = 10;

/** The one with an id, or the only one with a name. Throws `CommandError`, which names some of the candidates. */
export async function findOne<Item>(
  items: AsyncIterable<Item>,
  reference: string,
  { many, one, idOf, nameOf }: Names<Item>,
): Promise<Item> {
  const named: string[] = [];
  const others: string[] = [];
  let found: Item | undefined;
  let count = 0;
  for await (const item of items) {
    if (idOf(item) === reference) return item;
    count += 1;
    if (nameOf(item) === reference) {
      found = item;
      named.push(idOf(item));
    } else if (others.length < NAMED) others.push(nameOf(item) || idOf(item));
  }
  const given = oneLine(reference);
  if (found === undefined) {
    const all = count === 0 ? "" : `. Available: ${nameSome(others, count)}`;
    throw new CommandError(`No ${one} named "${given}"${all}; see parley ${many} list`);
  }
  if (named.length === 1) return found;
  throw new CommandError(
    `${named.length} ${many} are named "${given}"; use an id: ${nameSome(named, named.length)}`,
  );
}

/** Some of `count` in a line, and how many more there are. */
function nameSome(some: readonly string[], count: number): string {
  const first = some.slice(0, NAMED).map((name) => oneLine(name));
  const more = count - first.length;
  return first.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Reads a list that has no pages. Throws `CommandError`. */
export async function* readList<Item>(read: Promise<readonly Item[]>): AsyncGenerator<Item> {
  yield* await callServer(read);
}
