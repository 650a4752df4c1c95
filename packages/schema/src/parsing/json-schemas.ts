import * as z from "zod";

/** Characters of the JSON of a schema. */
const MAX_SCHEMA_LENGTH = 65_536;

/** A JSON Schema of a request; whether it is usable, core checks. */
export const JsonSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_LENGTH, {
    error: `must be at most ${MAX_SCHEMA_LENGTH} characters of JSON`,
  });

/** Most values of schemas of any JSON that check how many they hold. */
export const valueBounds = z.registry<{ readonly maxValues: number }>();
