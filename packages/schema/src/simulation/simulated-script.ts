import * as z from "zod";

/** One step of a scripted turn: reasoning, text and calls, in this order. */
const SimulatedStep = z.object({
  reasoning: z.string().optional().describe("Streamed first, as chain of thought"),
  text: z
    .string()
    .optional()
    .describe(
      "Streamed as the answer; `{{message}}` is replaced by the text of the user message, " +
        "`{{result}}` by the output of the last tool call",
    ),
  toolCalls: z
    .array(
      z.object({
        name: z.string().describe("Name of the tool").meta({ example: "orders" }),
        params: z.record(z.string(), z.unknown()).describe("Parameters of the call"),
        output: z
          .string()
          .optional()
          .describe("Output of the simulated tool; without it, the real tool is called"),
      }),
    )
    .optional()
    .describe("Calls at the end of the step"),
  error: z
    .object({
      code: z.string().describe("Stable code of the failure"),
      message: z.string().describe("What failed"),
    })
    .optional()
    .describe("Makes the step fail after its text"),
});

/** Script of the simulated provider for an agent: equal scripts and messages give equal turns. */
export const SimulatedScript = z.object({
  steps: z.array(SimulatedStep).min(1).max(64).describe("Steps of the turn"),
  tokenDelayMs: z.number().min(0).max(60_000).default(0).describe("Pause before each token"),
});
export type SimulatedScript = z.infer<typeof SimulatedScript>;
