/** The dialects of JSON Schema that a schema may name in `$schema`. */
export type DialectName = "2020-12" | "2019-09" | "draft-07";

/** Without `$schema`. */
export const defaultDialect: DialectName = "2020-12";

/** How a schema names each, without scheme and an empty fragment. */
const nameOf: ReadonlyMap<string, DialectName> = new Map([
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft-07/schema", "draft-07"],
]);

/** The dialect that the value of `$schema` names; undefined for one that is not known. */
export function dialectNamed(uri: unknown): DialectName | undefined {
  return typeof uri === "string"
    ? nameOf.get(uri.replace(/^https?:\/\//, "").replace(/#$/, ""))
    : undefined;
}
