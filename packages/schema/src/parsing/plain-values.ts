/** Any JSON as callers of REST may write it: a `Date` becomes a string, an undefined member is left out. */
export type SentJson =
  | string
  | number
  | boolean
  | null
  | undefined
  | Date
  | readonly SentJson[]
  | { readonly [name: string]: SentJson };

/** What a member for any JSON may hold over the typed RPC; `toPlain` makes JSON of it. */
export type SentValue =
  | SentJson
  | bigint
  | ReadonlyMap<string, SentValue>
  | ReadonlySet<SentValue>
  | readonly SentValue[]
  | { readonly [name: string]: SentValue };

/**
 * The JSON of a value that JavaScript has beside it, with what is in it left as it is: the text of a Date, the integer of a
 * bigint that a double can hold, the object of a Map with texts as keys, the list of a Set. Anything else is returned.
 */
export function toPlain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (value instanceof Date) return Number.isNaN(value.valueOf()) ? value : value.toISOString();
  if (value instanceof Set) return [...value];
  if (value instanceof Map) {
    const keys: unknown[] = [...value.keys()];
    // As the name of a member it would be lost.
    const isObject = keys.every((key) => typeof key === "string" && key !== "__proto__");
    return isObject ? Object.fromEntries(value) : value;
  }
  return value;
}
