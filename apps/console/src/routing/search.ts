/** The query of a URL as the router has it: texts, or several texts of one name. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Reads a query: each value is a text, and several of one name are a list. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const params = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** Writes a query, without undefined, empty and false values. */
export function stringifySearch(search: RawSearch): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null && one !== "" && one !== false)
      .map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** A text of a query, if it has one of that name. */
export function textOf(search: RawSearch, name: string): string | undefined {
  const value = [search[name]].flat()[0];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The texts of a name. */
export function textsOf(search: RawSearch, name: string): readonly string[] | undefined {
  const values = [search[name]].flat().filter((one): one is string => typeof one === "string");
  return values.length === 0 ? undefined : values;
}

/** A whole number of a query from 1, if it has one of that name. */
export function numberOf(search: RawSearch, name: string): number | undefined {
  const value = Number([search[name]].flat()[0]);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A text of a query, if it is one of these. */
export function oneOf<T extends string>(
  search: RawSearch,
  name: string,
  values: readonly T[],
): T | undefined {
  const value = textOf(search, name);
  return values.find((one) => one === value);
}

/** Whether a name of a query has the value true. */
export function flagOf(search: RawSearch, name: string): true | undefined {
  const value = [search[name]].flat()[0];
  return value === true || value === "true" ? true : undefined;
}
