import * as z from "zod";

/** Something that a request asked for and that was not done, though the request succeeded. */
export const Warning = z.object({
  path: z.string().describe("The field of the request"),
  message: z.string().describe("What was not done, and why"),
});
export type Warning = z.infer<typeof Warning>;
