import * as z from "zod";
import { fitsBytes, text } from "../parsing/text.ts";
import { MAX_SOURCE_BYTES } from "./javascript-program.ts";

/** Code that an invocation runs in a machine of E2B, hosted or self-hosted. */
export const E2bProgram = z.object({
  type: z.literal("e2b").describe("JavaScript of Node.js, or Python, in a sandbox of E2B"),
  language: z.enum(["javascript", "python"]).describe("Language of the source"),
  source: text(MAX_SOURCE_BYTES, 1)
    .refine((source) => fitsBytes(source, MAX_SOURCE_BYTES), {
      error: `must be at most ${MAX_SOURCE_BYTES} bytes`,
    })
    .describe(
      "An ES module with a default export that is a function; in Python, a module that defines main",
    )
    .meta({ example: "def main(input):\n    return {'sum': input['a'] + input['b']}\n" }),
  template: text(128, 1)
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/, { error: "must be the name or id of a template" })
    .optional()
    .describe("E2B template with the packages that the code imports; defaults to the server's")
    .meta({ example: "my-packages" }),
});
export type E2bProgram = z.infer<typeof E2bProgram>;
