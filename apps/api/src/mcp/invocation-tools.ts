import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { callEndpoint } from "../requests/call-endpoint.ts";
import { parseArguments } from "./arguments.ts";
import { unknownTool } from "./errors.ts";
import { isAllowed, type McpExchange } from "./exchange.ts";
import { followInvocation, howToReadOn, READ_INVOCATION, renderError, toText } from "./outcomes.ts";
import { openProgress } from "./progress.ts";

const ReadInvocation = z.object({
  functionId: z.string().describe("Id of the function"),
  invocationId: z.string().describe("Id of the invocation"),
});

const InvocationOutput = ReadInvocation.extend({
  status: z
    .enum(["created", "succeeded"])
    .describe(`created: it has not ended; ${READ_INVOCATION} waits for it`),
  result: z.unknown().optional().describe("The result, once it has succeeded"),
});

const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io }) as Tool["inputSchema"];

const readTool: Tool = {
  name: READ_INVOCATION,
  title: "Read an invocation",
  description:
    "Reads an invocation of a function, and waits for it if it has not ended. For functions that " +
    "had not ended when their tool returned.",
  inputSchema: schemaOf(ReadInvocation, "input"),
  outputSchema: schemaOf(InvocationOutput, "output"),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

/** The tool that reads invocations, of callers that may invoke functions. */
export function invocationTools(exchange: McpExchange): Tool[] {
  return isAllowed(exchange, "invocations.get") ? [readTool] : [];
}

/** Reads an invocation, and waits for it if it has not ended; a client that goes leaves it as it is. */
export async function readInvocation(
  exchange: McpExchange,
  { name, arguments: given }: { name: string; arguments?: unknown },
  call: ServerContext,
): Promise<CallToolResult> {
  if (!isAllowed(exchange, "invocations.get")) throw unknownTool(name);
  const params = parseArguments(ReadInvocation, given);
  const read = await callEndpoint(exchange, "invocations.get", { params });
  using progress = openProgress(exchange, call);
  const outcome = read.outcome ?? (await followInvocation(exchange, params, progress));
  if (outcome?.status === "errored") return renderError(params, outcome);
  const text = outcome === undefined ? howToReadOn(params) : toText(outcome.result);
  const output: z.input<typeof InvocationOutput> = {
    ...params,
    status: outcome?.status ?? "created",
    ...(outcome !== undefined && { result: outcome.result }),
  };
  return { content: [{ type: "text", text }], structuredContent: output };
}
