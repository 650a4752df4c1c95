/** Lists in the order of creation, the newest first: a place in one is a time and a number. */
import { and, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/** When an item of a list was created, and its number. */
export interface Place {
  readonly createdAt: number;
  readonly number: number;
}

/** The `lastValue` of a page that ends with this item. */
export function placeOf(item: Place | undefined): string | null {
  return item === undefined ? null : `${item.createdAt}.${item.number}`;
}

/** The range of a list, and the place of the page before. */
export interface CreationRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly lastValue?: string | undefined;
}

/** The condition that a row was created in the range, and comes after the page before. */
export function wasCreatedIn(
  { createdAt, id }: { readonly createdAt: AnyPgColumn; readonly id: AnyPgColumn },
  { from, to, lastValue }: CreationRange,
): SQL | undefined {
  const [time, number] = lastValue?.split(".").map(Number) ?? [];
  return and(
    from === undefined ? undefined : gte(createdAt, from),
    to === undefined ? undefined : lt(createdAt, to),
    time === undefined ? undefined : sql`(${createdAt}, ${id}) < (${time}, ${number})`,
  );
}
