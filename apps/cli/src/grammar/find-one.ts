import { callServer } from "../connection/call-server.ts";
import { CommandError } from "../command-error.ts";

/** How a person names one of many. */
interface Names<Item> {
  readonly many: string;
  readonly one: string;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
}

/** The one with an id, or the only one with a name. Throws `CommandError`. */
export async function findOne<Item>(
  items: AsyncIterable<Item>,
  reference: string,
  { many, one, idOf, nameOf }: Names<Item>,
): Promise<Item> {
  const named: Item[] = [];
  for await (const item of items) {
    if (idOf(item) === reference) return item;
    if (nameOf(item) === reference) named.push(item);
  }
  const [only, ...others] = named;
  if (only === undefined) {
    throw new CommandError(
      `There is no ${one} ${reference}: parley ${many} list shows what there is`,
    );
  }
  if (others.length === 0) return only;
  const ids = named.map(idOf).join(", ");
  throw new CommandError(
    `${named.length} ${many} are named ${reference}; name one by its id: ${ids}`,
  );
}

/** Reads a list that has no pages. Throws `CommandError`. */
export async function* readList<Item>(read: Promise<readonly Item[]>): AsyncGenerator<Item> {
  yield* await callServer(read);
}
