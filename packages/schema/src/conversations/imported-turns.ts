import * as z from "zod";

/**
 * The content type of fragments that hold what was said elsewhere: models are given it as turns of the conversation.
 * It stays a fragment of its author, so nobody takes it for what an agent of the workspace has said.
 */
export const IMPORTED_TURNS_TYPE = "application/vnd.parley.turns+json";

const callId = z.string().min(1).max(64).describe("Id of the call");
const toolName = z.string().min(1).max(64).describe("Name of the tool");
const text = z.string().describe("What was said");
const role = <Role extends string>(name: Role) => z.literal(name).describe("Who said it");

const Call = z.object({
  id: callId,
  name: toolName,
  params: z.record(z.string(), z.unknown()).describe("Parameters of the call"),
});
const Result = z.object({
  id: callId,
  name: toolName,
  output: z.string().describe("What the tool returned"),
});

/** A turn that was said elsewhere. */
export const ImportedTurn = z.discriminatedUnion("role", [
  z.object({ role: role("user"), text }),
  z.object({ role: role("system"), text }),
  z.object({
    role: role("assistant"),
    text,
    calls: z.array(Call).optional().describe("Calls of tools, with their results in the next turn"),
  }),
  z.object({ role: role("tool"), results: z.array(Result).min(1).describe("Results of calls") }),
]);
export type ImportedTurn = z.output<typeof ImportedTurn>;

/** What such a fragment contains, as JSON. */
export const ImportedTurns = z.array(ImportedTurn);
