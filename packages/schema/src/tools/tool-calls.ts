import * as z from "zod";
import { AnyJson } from "../parsing/json.ts";
import { fitsBytes, optional, text } from "../parsing/text.ts";

/** Bytes of the JSON of the arguments. */
const MAX_ARGUMENTS_BYTES = 1_048_576;

/** A call of one of the tools of a server, by a person. */
export const CallTool = z.object({
  name: text(128, 1).describe("Name of the tool, of those that the server offers").meta({
    example: "search",
  }),
  arguments: optional(z.record(z.string(), AnyJson))
    .transform((given) => given ?? {})
    .refine((given) => fitsBytes(JSON.stringify(given), MAX_ARGUMENTS_BYTES), {
      error: `must be at most ${MAX_ARGUMENTS_BYTES} bytes of JSON`,
    })
    .describe("Arguments that the tool's schema accepts, of 1 MiB at most; none by default")
    .meta({ example: { query: "shoes" } }),
});
export type CallTool = z.output<typeof CallTool>;
