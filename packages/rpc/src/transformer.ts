import { ParleyError } from "@parley/schema";
import superjson, { type SuperJSONResult } from "superjson";

/**
 * superjson as clients speak it. Answers are JSON by themselves, as over REST, so nothing is noted
 * about them; superjson would refuse some member names that a function's result may have. Inputs are
 * read without references: a body of a few hundred bytes could otherwise describe an object that
 * takes for ever to walk. What cannot be read is an `invalid_request_error`.
 */
export const transformer = {
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
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
