import superjson, { type SuperJSONResult } from "superjson";

/**
 * superjson without its references: a body of a few hundred bytes could otherwise describe an object
 * that takes for ever to walk.
 */
export const transformer = {
  serialize: (value: unknown): SuperJSONResult => superjson.serialize(value),
  deserialize: ({ json, meta }: SuperJSONResult): unknown =>
    superjson.deserialize({ json, ...(meta?.values && { meta: { values: meta.values } }) }),
};
