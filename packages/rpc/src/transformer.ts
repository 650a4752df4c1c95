import { ParleyError } from "@parley/schema";
import superjson, { type SuperJSONResult } from "superjson";

/**
 * superjson without its references: a body of a few hundred bytes could otherwise describe an object
 * that takes for ever to walk. What it cannot read is an `invalid_request_error`.
 */
export const transformer = {
  serialize: (value: unknown): SuperJSONResult => superjson.serialize(value),
  deserialize: (value: SuperJSONResult): unknown => {
    try {
      const { json, meta } = value;
      return superjson.deserialize({
        json,
        ...(meta?.values && { meta: { values: meta.values } }),
      });
    } catch (cause) {
      const message = "Invalid request body: the input must be what superjson writes";
      throw new ParleyError("invalid_request_error", message, { cause });
    }
  },
};
