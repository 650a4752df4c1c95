import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { fromQuery, Milliseconds } from "./text.ts";

/** The schemas of times in inputs. What is made of one of them, such as its description, inherits that. */
const times = z.registry<{ readonly isTime: true }>();

/**
 * Marks the schema of a member of an input as a time, in milliseconds since the epoch. Callers in JavaScript may give a
 * Date, which `readTimes` replaces before the schema sees it: the interface over HTTP is that of the number.
 */
export function timeOf<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema> | Date> {
  const time = schema.clone();
  times.add(time, { isTime: true });
  return time as unknown as z.ZodType<z.output<Schema>, z.input<Schema> | Date>;
}

/** The furthest time, on both sides of the epoch, that a Date of JavaScript can be. */
const MAX_TIME = 8_640_000_000_000_000;
/** A time of a request that a Date can be. */
export const Instant = Milliseconds.refine((time) => Math.abs(time) <= MAX_TIME, {
  error: "must be a time that a date can be",
});

/** A time in a body. */
export const Time = timeOf(Instant);
/** A time in a query, also as the text that a query has. */
export const TimeFromQuery = timeOf(fromQuery(Instant));

const ofEndpoints = new WeakMap<Endpoint, readonly string[]>();

/** The members of an endpoint's query and body that are times. */
export function timesIn(endpoint: Endpoint): readonly string[] {
  return ofEndpoints.getOrInsertComputed(endpoint, ({ query, body }) => {
    const members: [string, z.core.$ZodType][] = Object.entries({
      ...query?.shape,
      ...body?.shape,
    });
    return members.flatMap(([name, schema]) => (isTime(schema) ? [name] : []));
  });
}

function isTime(schema: z.core.$ZodType): boolean {
  if (times.get(schema)?.isTime === true) return true;
  if (schema instanceof z.ZodPipe) return isTime(schema.in);
  const isAround = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isAround && isTime(schema.unwrap());
}

/** Replaces each Date in a flat input that is given for a time with its milliseconds, in place. */
export function readTimes(endpoint: Endpoint, input: unknown): void {
  if (typeof input !== "object" || input === null) return;
  const members = input as Record<string, unknown>;
  for (const name of timesIn(endpoint)) {
    const given = members[name];
    if (given instanceof Date) members[name] = given.getTime();
  }
}
