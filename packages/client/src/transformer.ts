import { requireSafeMeta, type SentSuperjson } from "@parley/schema/superjson-meta";
import { SuperJSON, type SuperJSONResult } from "superjson";

/** An instance of its own: what an application registers stays out of its calls. */
const superjson = new SuperJSON();

/**
 * superjson for the calls of the RPC, once `requireSafeMeta` has checked what it would build. An object in several places
 * is sent in each. Throws `TypeError` for one that holds itself, and for what is not superjson.
 */
export const transformer = {
  serialize: (input: unknown): SuperJSONResult => {
    const { json, meta } = superjson.serialize(input);
    if (meta?.referentialEqualities === undefined)
      return meta === undefined ? { json } : { json, meta };
    const { referentialEqualities, ...rest } = meta;
    if (holdsItself(referentialEqualities)) throw new TypeError("an input must not contain itself");
    return rest.values === undefined ? { json } : { json, meta: rest };
  },
  deserialize: (sent: unknown): unknown => {
    if (typeof sent !== "object" || sent === null || !("json" in sent)) {
      throw new TypeError("the answer is not superjson");
    }
    requireSafeMeta(sent satisfies SentSuperjson, (path, message) => {
      throw new TypeError(["the answer", ...path].map(String).join(".") + ` ${message}`);
    });
    return superjson.deserialize(sent as SuperJSONResult, { inPlace: true });
  },
};

type Equalities = NonNullable<NonNullable<SuperJSONResult["meta"]>["referentialEqualities"]>;

/** Whether one of the places of an object is within another: superjson has left it out there. */
function holdsItself(equalities: Equalities): boolean {
  // The places of the whole value are a list.
  if (Array.isArray(equalities)) return true;
  return Object.entries(equalities).some(([first, others]) => {
    const places = new Set([first, ...others]);
    return others.some((place) => {
      let end = place.length;
      while ((end = place.lastIndexOf(".", end - 1)) > 0) {
        if (places.has(place.slice(0, end))) return true;
      }
      return false;
    });
  });
}
