import { callServer } from "./call-server.ts";

interface Page {
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** Reads a list to its end, a page at a time. Throws `CommandError`. */
export async function* readPages<P extends Page, Item>(
  read: (place: { readonly lastValue?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): AsyncGenerator<Item> {
  for (let lastValue: string | null = null, hasMore = true; hasMore;) {
    const page: P = await callServer(read(lastValue === null ? {} : { lastValue }));
    yield* itemsOf(page);
    ({ hasMore, lastValue } = page);
  }
}

/** How many reads are under way at once: the server answers as many in one request. */
const AT_ONCE = 20;

/** What `read` gives for each of the items, in their order. */
export async function readEach<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(read))));
  }
  return results;
}
