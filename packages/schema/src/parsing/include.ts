import * as z from "zod";

/** The query parameter of a stream that names event types which are sent only on request. */
export const include = (names: readonly [string, ...string[]]) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => (value === undefined ? [] : String(value).split(",")))
    .describe(`Further event types, separated by commas: ${names.join(", ")}`)
    .meta({ example: names.join(",") });
