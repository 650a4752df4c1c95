import * as z from "zod";

/**
 * The content type of fragments that hold what was said elsewhere: models are given it as turns of the conversation.
 * It stays a fragment of its author, so nobody takes it for what an agent of the workspace has said.
 */
export const IMPORTED_TURNS_TYPE = "application/vnd.parley.turns+json";

const callId = z.string().min(1).max(64);
const toolName = z.string().min(1).max(64);

/** A turn that was said elsewhere. */
export const ImportedTurn = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), text: z.string() }),
  z.object({ role: z.literal("system"), text: z.string() }),
  z.object({
    role: z.literal("assistant"),
    text: z.string(),
    calls: z
      .array(z.object({ id: callId, name: toolName, params: z.record(z.string(), z.unknown()) }))
      .optional(),
  }),
  z.object({
    role: z.literal("tool"),
    results: z.array(z.object({ id: callId, name: toolName, output: z.string() })).min(1),
  }),
]);
export type ImportedTurn = z.output<typeof ImportedTurn>;

/** What such a fragment contains, as JSON. */
export const ImportedTurns = z.array(ImportedTurn);
