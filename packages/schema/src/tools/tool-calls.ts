import * as z from "zod";
import { post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import { Invocation, InvokedSandboxFunction } from "../invocations/invocations.ts";
import { AnyJson } from "../parsing/json.ts";
import { fitsBytes, optional, text } from "../parsing/text.ts";
import { ToolParams } from "./tool-authorizations.ts";

/** Bytes of the JSON of the arguments. */
const MAX_ARGUMENTS_BYTES = 1_048_576;

/** A call of one of the tools of a server, by a person. */
export const CallTool = z.object({
  name: text(128, 1).describe("Name of one of the server's tools").meta({
    example: "search",
  }),
  arguments: optional(z.record(z.string(), AnyJson))
    .transform((given) => given ?? {})
    .refine((given) => fitsBytes(JSON.stringify(given), MAX_ARGUMENTS_BYTES), {
      error: `must be at most ${MAX_ARGUMENTS_BYTES} bytes of JSON`,
    })
    .describe("Arguments that the tool's schema accepts, at most 1 MiB; none by default")
    .meta({ example: { query: "shoes" } }),
});
export type CallTool = z.output<typeof CallTool>;

/** Operations that call tools outside of conversations. */
export const toolCallEndpoints = {
  "tools.invoke": {
    ...post,
    tags: ["tools"],
    role: "builder",
    scope: null,
    summary: "Call a tool of a remote server, to try it",
    path: "/api/v1/w/{wId}/tools/{toolId}/calls",
    params: ToolParams,
    body: CallTool,
    output: InvokedSandboxFunction.meta({
      example: {
        invocation: { ...exampleOf(Invocation), status: "succeeded" },
        outcome: {
          status: "succeeded",
          result: { content: [{ type: "text", text: "3 pairs" }], isError: false },
        },
      },
    }),
    status: 201,
    rateLimit: "invoke",
    subject: ["toolId"],
    errors: ["tool_not_found", "tool_unreachable"],
  },
} as const satisfies Record<string, Endpoint>;
