import { type Column, gt, lt, type SQL } from "drizzle-orm";

/** Of which workspace a page is, where it begins, and how many items it has at most. */
export interface PageOf {
  readonly wId: string;
  readonly limit: number;
  readonly lastValue: string | undefined;
}

/** The members of a page besides its items. */
export interface PageEnd {
  readonly hasMore: boolean;
  readonly lastValue: string | null;
}

/** The condition that a row comes after the page before, in a list by ascending numbers. */
export function isAfter(number: Column, { lastValue }: Pick<PageOf, "lastValue">): SQL | undefined {
  return lastValue === undefined ? undefined : gt(number, Number(lastValue));
}

/** The largest number that a column of numbers from 0 holds, as those of versions are. */
const MAX_NUMBER = 2_147_483_647;

/** The condition that a version, or what is counted like one, comes after the page before, in a list with the newest first. */
export function isOlder(number: Column, lastValue: string | undefined): SQL | undefined {
  // A place past every number is one before them all.
  return lastValue === undefined ? undefined : lt(number, Math.min(Number(lastValue), MAX_NUMBER));
}

/** The rows of a page, of which one more than fits was read, and the members that end it. */
export function takePage<Row>(
  rows: readonly Row[],
  { limit }: Pick<PageOf, "limit">,
  placeOf: (row: Row) => string | number,
): { page: Row[]; end: PageEnd } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const lastValue = last === undefined ? null : String(placeOf(last));
  return { page, end: { hasMore: rows.length > limit, lastValue } };
}

/** Bytes of a page of several items that may be large. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Where a page of large items ends: at the last that fits, or at the first. Of the rows, of which one more than a
 * page has was read, each has the bytes of the items up to it.
 */
export function takeSizedPage<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  limit: number,
): { last: Row | undefined; hasMore: boolean } {
  const page = rows
    .slice(0, limit)
    .filter((row, index) => index === 0 || row.bytes <= MAX_PAGE_BYTES);
  return { last: page.at(-1), hasMore: rows.length > page.length };
}
