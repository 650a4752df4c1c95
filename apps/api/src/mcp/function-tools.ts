import { createHash } from "node:crypto";
import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { toParleyError } from "@parley/rpc";
import type { InvocationOutcome, SandboxFunction } from "@parley/schema";
import { logUnexpected } from "../http/error-response.ts";
import { callEndpoint } from "../requests/call-endpoint.ts";
import { failure, unknownTool } from "./errors.ts";
import { detached, isAllowed, isWanted, type McpExchange } from "./exchange.ts";
import { toInput, toInputSchema, toOutputSchema, toStructured } from "./function-schemas.ts";
import {
  followInvocation,
  howToReadOn,
  type InvocationParams,
  renderError,
  toText,
} from "./outcomes.ts";
import { openProgress } from "./progress.ts";
import { type ListPage, noTools, type ToolPage } from "./pages.ts";

/** Begins the names of functions as tools. */
export const FUNCTION = "function__";
/** Characters of a slug in a tool's name. */
const MAX_SLUG = 64 - FUNCTION.length;
const HASH_LENGTH = 8;
const MAX_LISTED = 100;

/** The name of a function as a tool: a long slug is cut, and ends with a part of its hash. */
function toolNameOf(slug: string): string {
  if (slug.length <= MAX_SLUG) return FUNCTION + slug;
  const hash = createHash("sha256").update(slug).digest("hex").slice(0, HASH_LENGTH);
  return `${FUNCTION}${prefixOf(slug)}_${hash}`;
}

/** What the name of a function with a long slug has of it. */
function prefixOf(slug: string): string {
  return slug.slice(0, MAX_SLUG - HASH_LENGTH - 1).replace(/-$/, "");
}

/** The active functions as tools, of callers that may invoke them. */
export async function listFunctionTools(
  exchange: McpExchange,
  { lastValue, limit }: ListPage,
): Promise<ToolPage> {
  if (!isAllowed(exchange, "sandboxFunctions.invoke")) {
    return noTools;
  }
  const { sandboxFunctions, ...end } = await listFunctions(exchange, { lastValue, limit });
  return { tools: sandboxFunctions.map(toTool), ...end };
}

function listFunctions(exchange: McpExchange, { lastValue, limit }: ListPage) {
  const query = { limit: String(limit), ...(lastValue !== undefined && { lastValue }) };
  return callEndpoint(exchange, "sandboxFunctions.list", { query });
}

function toTool({
  slug,
  description,
  inputSchema,
  outputSchema,
  retryable,
}: SandboxFunction): Tool {
  const output = toOutputSchema(outputSchema);
  return {
    name: toolNameOf(slug),
    title: slug,
    description,
    inputSchema: toInputSchema(inputSchema),
    ...(output !== undefined && { outputSchema: output }),
    // A function may change anything that its author had in mind.
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: retryable,
      openWorldHint: true,
    },
  };
}

/** The slug of the function of a tool, of which only long ones are looked up. */
async function findSlug(exchange: McpExchange, name: string): Promise<string> {
  const rest = name.slice(FUNCTION.length);
  const [prefix = "", hash] = rest.split("_");
  if (hash === undefined) return rest;
  let lastValue: string | null = prefix;
  while (lastValue?.startsWith(prefix) === true) {
    const page = await listFunctions(exchange, { lastValue, limit: MAX_LISTED });
    const found = page.sandboxFunctions.find(({ slug }) => toolNameOf(slug) === name);
    if (found !== undefined) return found.slug;
    lastValue = page.hasMore ? page.lastValue : null;
  }
  throw unknownTool(name);
}

/** Invokes a function and waits for its outcome. Cancels it if the client goes before it has that. */
export async function callFunction(
  exchange: McpExchange,
  {
    name,
    arguments: given = {},
  }: { name: string; arguments?: Record<string, unknown> | undefined },
  call: ServerContext,
): Promise<CallToolResult> {
  if (!isAllowed(exchange, "sandboxFunctions.invoke")) throw unknownTool(name);
  const { context } = exchange;
  const functionId = await findSlug(exchange, name);
  const { definition } = await context.functions
    .getActive(context.caller.workspace.id, functionId)
    .catch((error: unknown) => {
      throw toParleyError(error).type === "sandbox_function_not_found" ? unknownTool(name) : error;
    });
  // What it reports is followed, so the call itself does not wait.
  const starting = { ...exchange, context: { ...context, preferredWaitMs: 0 } };
  const { invocation, outcome } = await callEndpoint(starting, "sandboxFunctions.invoke", {
    params: { functionId },
    body: { input: toInput(definition.inputSchema, given) },
  });
  const params = { functionId, invocationId: invocation.sId };
  using progress = openProgress(exchange, call);
  const ended = outcome ?? (await followInvocation(exchange, params, progress));
  if (ended === undefined && !isWanted(exchange)) await cancel(exchange, params);
  return renderOutcome(params, definition.outputSchema, ended);
}

/** The outcome as the tool of the function returns it: its result has the function's schema. */
function renderOutcome(
  params: InvocationParams,
  outputSchema: SandboxFunction["outputSchema"],
  outcome: InvocationOutcome | undefined,
): CallToolResult {
  if (outcome === undefined) {
    return failure(howToReadOn(params), { ...params, status: "created" });
  }
  if (outcome.status === "errored") return renderError(params, outcome);
  const { result } = outcome;
  return {
    content: [{ type: "text", text: toText(result) }],
    structuredContent: toStructured(outputSchema, result),
  };
}

/** Nobody is left to see an error, so it is only logged. */
async function cancel(exchange: McpExchange, params: InvocationParams): Promise<void> {
  try {
    await callEndpoint(detached(exchange), "invocations.cancel", { params, body: {} });
  } catch (error) {
    logUnexpected(toParleyError(error), exchange.request);
  }
}
