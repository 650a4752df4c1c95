import type { ShownIds } from "./fill-shop.ts";

/** A key of the made-up shop, by its role. */
export type Key = "operator" | "admin" | "builder" | "user";

/** A page of the console. */
export interface ShownPage {
  /** Its path as the router has it. */
  readonly route: string;
  /** The name of its pictures. */
  readonly name: string;
  /** Its URL in the made-up shop. */
  readonly pathOf: (ids: ShownIds) => string;
  /** The keys that may open it; undefined for a page that needs no session. */
  readonly keys: readonly Key[] | undefined;
  /** Describes the picture to a reader who does not see it. */
  readonly alt: string;
}
