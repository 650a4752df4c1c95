import * as z from "zod";
import { SimulatedBehaviour } from "../simulation/simulated-behaviour.ts";
import { E2bProgram } from "./e2b-program.ts";
import { JavaScriptProgram } from "./javascript-program.ts";

/** Events and a result without code. */
export const SimulatedProgram = z.object({
  type: z.literal("simulated").describe("Simulated: events and a result without code"),
  behaviour: SimulatedBehaviour.describe("Behaviour of an invocation").meta({
    example: { type: "scripted", durationMs: 10, steps: [], result: '{ "sum": a + b }' },
  }),
});
export type SimulatedProgram = z.infer<typeof SimulatedProgram>;

/** What an invocation of a function runs; the type names its executor. */
export const Program = z.discriminatedUnion("type", [
  SimulatedProgram,
  JavaScriptProgram,
  E2bProgram,
]);
export type Program = z.infer<typeof Program>;

/** A program that `function.json` names: a source with a language may be the file beside it. */
export const FolderProgram = z.discriminatedUnion("type", [
  SimulatedProgram,
  JavaScriptProgram,
  E2bProgram.extend({
    source: E2bProgram.shape.source
      .optional()
      .describe("By default, the text of the file beside it"),
  }),
]);
export type FolderProgram = z.infer<typeof FolderProgram>;

/** One module, made of all files of a program when the program was stored. */
export interface ProgramBundle {
  /** The module, without imports. */
  readonly code: string;
  /** JSON of its source map: of its lines to those of the files. */
  readonly map: string;
}

/** Why the files of a program cannot be made one module. */
export interface BundleFault {
  /** The path of the file; empty if the fault has no file. */
  readonly file: string;
  /** From 1; 0 if the fault has no line. */
  readonly line: number;
  /** From 1; 0 if the fault has no line. */
  readonly column: number;
  readonly message: string;
  /** The line itself. */
  readonly sourceLine: string;
}

/** A module, or why there is none. */
export type BundleAnswer =
  | { readonly bundle: ProgramBundle }
  | { readonly faults: readonly BundleFault[] };

/** A program in JavaScript as it is stored: what its author wrote, and the module that runs. */
export interface StoredJavaScript extends JavaScriptProgram {
  readonly bundle: ProgramBundle;
}

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
export type StoredProgram =
  | Exclude<Program, JavaScriptProgram>
  | StoredJavaScript
  | McpProgram
  | ClientProgram;
