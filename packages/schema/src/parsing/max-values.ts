import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { MAX_VALUES } from "./json.ts";
import { valueBounds } from "./json-schemas.ts";

/**
 * Values that a body may have beside those that its schema knows: members of later interfaces, annotations of the RPC.
 */
const UNKNOWN_VALUES = 5000;

const ofEndpoints = new WeakMap<Endpoint, number>();

/** Returns how many JSON values a body of an endpoint may hold, unknown members included; 100,000 at most. */
export function maxValuesOf(endpoint: Endpoint): number {
  return ofEndpoints.getOrInsertComputed(endpoint, ({ params, query, body }) => {
    // A body of the RPC has the parameters too.
    const known = [params, query, body].map((part) => (part === undefined ? 0 : countIn(part)));
    const sum = known.reduce((total, count) => total + count, UNKNOWN_VALUES);
    return Math.min(sum, MAX_VALUES);
  });
}

/** Most values that a schema can know in a value; infinite if it bounds nothing. */
function countIn(schema: z.core.$ZodType): number {
  if (schema instanceof z.ZodObject) {
    const members: z.core.$ZodType[] = Object.values(schema.shape);
    return members.reduce((total, member) => total + countIn(member), 1);
  }
  const { maxValues } = valueBounds.get(schema) ?? {};
  if (maxValues !== undefined) return maxValues;
  if (schema instanceof z.ZodArray) {
    return 1 + maxLengthOf(schema) * countIn(schema.element);
  }
  if (schema instanceof z.ZodUnion) return Math.max(...schema.options.map(countIn));
  if (schema instanceof z.ZodPipe) return countIn(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return countIn(schema.unwrap());
  }
  if (schema instanceof z.ZodDefault) return countIn(schema.unwrap());
  const isAnything = schema instanceof z.ZodUnknown || schema instanceof z.ZodRecord;
  return isAnything ? Infinity : 1;
}

function maxLengthOf({ _zod: { def } }: z.ZodArray): number {
  for (const { _zod: check } of def.checks ?? []) {
    const { maximum } = check.def as { maximum?: number };
    if (maximum !== undefined) return maximum;
  }
  return Infinity;
}
