import * as z from "zod";
import { fromQuery, optional } from "./text.ts";

/** Items of most pages at most. */
export const MAX_PAGE_ITEMS = 100;

/** Size of a page, from 1 to 100. */
export const PageLimit = optional(fromQuery(z.int().min(1).max(MAX_PAGE_ITEMS)));

/** Query of a paged list; `place` is the schema of the position that a page ends at. */
export function pageQuery<Place extends z.ZodType<string>>(
  items: string,
  { defaultLimit, place }: { readonly defaultLimit: number; readonly place: Place },
) {
  return {
    limit: PageLimit.transform((limit) => limit ?? defaultLimit)
      .describe(`${items} of a page, 1 to 100; ${defaultLimit} by default`)
      .meta({ example: defaultLimit }),
    lastValue: optional(place).describe("Position returned by the previous page"),
  };
}

/** A position in a list, in the list's own format. */
export function placeLike(pattern: RegExp) {
  return z.string().regex(pattern, { error: "must be a lastValue of a page" });
}

/** Query of a list that is paged by the numbers of its items. */
export const pageByNumber = (items: string, defaultLimit = 100) =>
  pageQuery(items, { defaultLimit, place: placeLike(/^\d{1,15}$/) });

/**
 * Query of a list whose clients ask for one page: by default it has as many items as a page can have. It is
 * paged by the numbers of its items.
 */
export function longPage(items: string, maxLimit: number) {
  return {
    limit: optional(fromQuery(z.int().min(1).max(maxLimit)))
      .transform((limit) => limit ?? maxLimit)
      .describe(`${items} of a page, 1 to ${maxLimit}; ${maxLimit} by default`)
      .meta({ example: 100 }),
    lastValue: optional(placeLike(/^\d{1,15}$/)).describe("Position returned by the previous page"),
  };
}

/** Members of a page besides its items. */
export const pageEnd = {
  hasMore: z.boolean().describe("Whether there is a page after this one"),
  lastValue: z.string().nullable().describe("Parameter for the next page"),
};
