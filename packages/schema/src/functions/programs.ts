import * as z from "zod";
import { SimulatedBehaviour } from "../simulation/simulated-behaviour.ts";

/** What an invocation of a function runs; the type names its executor. */
export const Program = z.object({
  type: z.literal("simulated").describe("Simulated: events and a result without code"),
  behaviour: SimulatedBehaviour.describe("Behaviour of an invocation").meta({
    example: { type: "scripted", durationMs: 10, steps: [], result: '{ "sum": a + b }' },
  }),
});
export type Program = z.infer<typeof Program>;

/** Calls the server of the tool with this number. Nobody writes it: it stands behind a registered server. */
export interface McpProgram {
  readonly type: "mcp";
  readonly toolId: number;
}

/** Calls the server in a client that its input names. Nobody writes it either. */
export interface ClientProgram {
  readonly type: "client";
}

/** What an invocation runs as it is stored. */
export type StoredProgram = Program | McpProgram | ClientProgram;
