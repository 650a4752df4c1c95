import { formatPath, invalidRequest, type ParleyError, requireSafeMeta } from "@parley/schema";
import { SuperJSON, type SuperJSONResult } from "superjson";

/** An instance of its own: nothing that other code registers is built here. */
const superjson = new SuperJSON();

/**
 * superjson for inputs, once `requireSafeMeta` has checked what it would build; and plain JSON, as people write it, if
 * it is an object. What is refused is an `invalid_request_error` that names the place. Outputs are JSON, and sent as
 * superjson writes JSON: superjson itself would look for what they do not have, 11 ms for a hundred messages that are
 * encoded in 0.1 ms, and throws at members named `constructor`.
 */
export const transformer = {
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
  deserialize: (sent: unknown): unknown => {
    if (typeof sent !== "object" || sent === null || Array.isArray(sent)) {
      throw refused(
        [],
        'must be an object with the input: plain JSON, or {"json": …} of superjson',
      );
    }
    // No input has a member of this name.
    if (!("json" in sent)) return sent;
    requireSafeMeta(sent, (path, message) => {
      throw refused(path, message);
    });
    // In place: a copy of 8 MiB takes longer than parsing them.
    return superjson.deserialize(sent as SuperJSONResult, { inPlace: true });
  },
};

function refused(path: readonly PropertyKey[], message: string): ParleyError {
  return invalidRequest("body", [{ path: formatPath(path), message }]);
}
