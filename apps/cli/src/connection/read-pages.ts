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
