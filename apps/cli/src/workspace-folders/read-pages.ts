import { callServer } from "../connection/call-server.ts";

interface Page {
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** Reads all pages of a list. Throws `CommandError`. */
export async function readPages<P extends Page, T>(
  read: (place: { limit: number; lastValue?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
): Promise<T[]> {
  const items: T[] = [];
  let place: { lastValue?: string } = {};
  for (;;) {
    const page = await callServer(read({ limit: 100, ...place }));
    items.push(...itemsOf(page));
    if (!page.hasMore || page.lastValue === null) return items;
    place = { lastValue: page.lastValue };
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
