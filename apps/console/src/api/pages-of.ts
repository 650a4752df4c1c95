interface Page {
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** Pages that are read for a list of choices, each of `PAGE_SIZE`. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

/** Reads the pages of a list one after the other, ten by default. */
export async function* pagesOf<P extends Page>(
  read: (place: { readonly lastValue?: string; readonly limit: number }) => Promise<P>,
  maxPages = MAX_PAGES,
): AsyncGenerator<P> {
  let place = {};
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read({ limit: PAGE_SIZE, ...place });
    yield page;
    if (!page.hasMore || page.lastValue === null) return;
    place = { lastValue: page.lastValue };
  }
}
