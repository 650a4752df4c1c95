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
