/** Tools that an application brings with a message, and runs itself. */
import * as z from "zod";
import { countValues } from "../parsing/json.ts";
import { valueBounds } from "../parsing/json-schemas.ts";
import { fitsBytes, optional, Reference, textOfBytes } from "../parsing/text.ts";

/** Tools of a message, and outputs of a request. */
const MAX_TOOLS = 64;
const MAX_DESCRIPTION_BYTES = 4096;
const MAX_PARAMETERS_BYTES = 16 * 1024;
/** Of the tools of a message together. */
const MAX_TOOLS_BYTES = 128 * 1024;
const MAX_TOOLS_VALUES = 8192;
/** Of the outputs of a request together. */
const MAX_OUTPUTS_BYTES = 1024 * 1024;
const MAX_OUTPUT_PARTS = 100;

const MAX_INSTRUCTIONS_BYTES = 64 * 1024;
const MAX_METADATA_BYTES = 32 * 1024;
const MAX_METADATA_VALUES = 500;

const Metadata = z
  .record(z.string(), z.unknown())
  .refine((values) => fitsBytes(JSON.stringify(values), MAX_METADATA_BYTES), {
    error: `must be at most ${MAX_METADATA_BYTES} bytes of JSON`,
  })
  .refine(
    (values) => countValues(JSON.stringify(values), MAX_METADATA_VALUES) <= MAX_METADATA_VALUES,
    { error: `must hold at most ${MAX_METADATA_VALUES} values` },
  )
  .register(valueBounds, { maxValues: MAX_METADATA_VALUES });

const ToolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, { error: "must be 1 to 64 letters, digits, _ and -" });

const Parameters = z
  .record(z.string(), z.unknown())
  .refine((schema) => fitsBytes(JSON.stringify(schema), MAX_PARAMETERS_BYTES), {
    error: `must be at most ${MAX_PARAMETERS_BYTES} bytes of JSON`,
  });

/** A tool of the application that posts a message: the answers may call it, and the application runs it. */
export const FunctionTool = z.object({
  name: ToolName.describe("Name that the model calls").meta({ example: "find_order" }),
  description: optional(textOfBytes(MAX_DESCRIPTION_BYTES))
    .describe("What it does, for the model")
    .meta({ example: "Finds an order by its number" }),
  parameters: optional(Parameters)
    .describe("JSON Schema (draft-07, 2019-09 or 2020-12) of its parameters; any object by default")
    .meta({
      example: {
        type: "object",
        properties: { orderId: { type: "string" } },
        required: ["orderId"],
      },
    }),
  strict: optional(z.boolean()).describe(
    "Whether the model's service is asked to enforce the schema; false by default",
  ),
});
export type FunctionTool = z.output<typeof FunctionTool>;

/** The tools of a message. */
export const FunctionTools = z
  .array(FunctionTool)
  .max(MAX_TOOLS)
  .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, {
    error: "must have different names",
  })
  .refine((tools) => fitsBytes(JSON.stringify(tools), MAX_TOOLS_BYTES), {
    error: `must be at most ${MAX_TOOLS_BYTES} bytes of JSON together`,
  })
  .refine((tools) => countValues(JSON.stringify(tools), MAX_TOOLS_VALUES) <= MAX_TOOLS_VALUES, {
    error: `must hold at most ${MAX_TOOLS_VALUES} values together`,
  })
  .register(valueBounds, { maxValues: MAX_TOOLS_VALUES });

/** Which tools an answer calls first. */
export const ToolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.object({ name: ToolName.describe("The tool that is called").meta({ example: "find_order" }) }),
]);
export type ToolChoice = z.output<typeof ToolChoice>;

/** What a message asks of the models of its answers. */
export const answerSettings = {
  functionTools: optional(FunctionTools).describe(
    "Tools of the application itself: a call of one waits until its output is sent",
  ),
  toolChoice: optional(ToolChoice)
    .describe(
      "Which tools the answers call: auto by default; none calls none; required, or the name of one, holds for the first step",
    )
    .meta({ example: "auto" }),
  parallelToolCalls: optional(z.boolean()).describe(
    "Whether a step may have several calls, where the model's service lets that be chosen; its own by default",
  ),
  maxOutputTokens: optional(z.int().min(1).max(1_000_000)).describe(
    "Most tokens that a step of the answers may have, reasoning included; the model's own limit by default",
  ),
  temperature: optional(z.number().min(0).max(2)).describe(
    "Temperature of the answers; the agents' own by default",
  ),
  instructions: optional(textOfBytes(MAX_INSTRUCTIONS_BYTES)).describe(
    "Instructions for the answers to this message alone, after those of their agents",
  ),
  metadata: optional(Metadata)
    .describe("What the application wants to read again with the answers, of any shape")
    .meta({ example: { ticket: "1042" } }),
};

/** What a message asked of the models of its answers, without what it left out. */
export interface AnswerSettings {
  readonly functionTools?: readonly StoredFunctionTool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly instructions?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A tool of an application with its defaults. */
export interface StoredFunctionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
}

const ImageType = z.string().regex(/^image\/[\w.+-]{1,128}$/, {
  error: "must be a MIME type of images",
});

/** A part of an output: MCP content, as other tools return it. */
export const OutputPart = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text").describe("A text"),
    text: textOfBytes(MAX_OUTPUTS_BYTES).describe("The text"),
  }),
  z.object({
    type: z.literal("image").describe("An image"),
    data: z
      .base64()
      .max(MAX_OUTPUTS_BYTES)
      .describe("Its bytes, in base64")
      .meta({ example: "iVBORw0KGgo=" }),
    mimeType: ImageType.describe("Its MIME type").meta({ example: "image/png" }),
  }),
]);
export type OutputPart = z.output<typeof OutputPart>;

/** The output of a call of an application's tool. */
export const ToolOutput = z.object({
  actionId: Reference.describe("Id of the tool call").meta({ example: "act_Wd6Jp1Xc4S" }),
  output: z
    .union([
      z.string().refine((value) => fitsBytes(value, MAX_OUTPUTS_BYTES), {
        error: `must be at most ${MAX_OUTPUTS_BYTES} bytes of UTF-8`,
      }),
      z.array(OutputPart).min(1).max(MAX_OUTPUT_PARTS),
    ])
    .describe("What the model is given: a text, or parts")
    .meta({ example: "On its way" }),
  isError: optional(z.boolean()).describe("Whether the call failed; false by default"),
});
export type ToolOutput = z.output<typeof ToolOutput>;

/** Body of the outputs of an answer's calls. */
export const SendToolOutputs = z.object({
  outputs: z
    .array(ToolOutput)
    .min(1)
    .max(MAX_TOOLS)
    .refine((outputs) => new Set(outputs.map(({ actionId }) => actionId)).size === outputs.length, {
      error: "must be of different calls",
    })
    .refine((outputs) => fitsBytes(JSON.stringify(outputs), MAX_OUTPUTS_BYTES), {
      error: `must be at most ${MAX_OUTPUTS_BYTES} bytes of JSON together`,
    })
    .describe("The outputs, in any order"),
});
export type SendToolOutputs = z.output<typeof SendToolOutputs>;
