import * as z from "zod";

/** A part of a successful request that had no effect. */
export const Warning = z.object({
  path: z.string().describe("The field of the request"),
  message: z.string().describe("What was not done, and why"),
});
export type Warning = z.infer<typeof Warning>;

/** The member `warnings` of a response. */
export const warnings = z
  .array(Warning)
  .optional()
  .describe(
    "Mentions that resolved to no agent, servers in clients that are not there, members that are not known, and a wait without a worker",
  );
