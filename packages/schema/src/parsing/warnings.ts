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
    "Mentions of unknown agents, client servers that are gone, unknown fields, files that an agent's model does not take, and waiting while no worker runs",
  );
