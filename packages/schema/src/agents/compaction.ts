import * as z from "zod";
import { optional } from "../parsing/text.ts";

/** What holds where an agent does not say otherwise. */
export const COMPACTION_DEFAULTS = { startsAtPercent: 50, keepsMessages: 12 } as const;

const said = {
  enabled:
    "Whether they are, and prompts have summaries; by default they are with models of services, and not with " +
    "simulated ones",
  startsAtPercent:
    "How much of the model's context a prompt has filled when a summary is started, in percent; 50 by default",
  keepsMessages:
    "How many of the newest messages stay as they are, if they are short; 12 by default",
};
const startsAtPercent = z.int().min(10).max(70);
const keepsMessages = z.int().min(2).max(100);

/** When the oldest messages of an agent's conversations are summarised. */
export const Compaction = z.strictObject({
  enabled: optional(z.boolean()).describe(said.enabled),
  startsAtPercent: optional(startsAtPercent).describe(said.startsAtPercent),
  keepsMessages: optional(keepsMessages).describe(said.keepsMessages),
});
export type Compaction = z.output<typeof Compaction>;

/** The same as it is stored. */
export const StoredCompaction = z.object({
  enabled: z.boolean().optional().describe(said.enabled),
  startsAtPercent: startsAtPercent.optional().describe(said.startsAtPercent),
  keepsMessages: keepsMessages.optional().describe(said.keepsMessages),
});
