import type { Client, Tool } from "@modelcontextprotocol/client";
import { FetchFault } from "@parley/guarded-fetch";
import { cleanJson, isStorable, toStorable, toStorableJson } from "@parley/schema";
import type { ListedTools, McpTool, McpToolAnnotations } from "./contract.ts";

const MAX_TOOLS = 256;
const MAX_TOOLS_BYTES = 262_144;
const MAX_NAME = 128;
const MAX_PAGES = 64;

/** Lists all tools of a connected server. Throws a `FetchFault` for more than Parley holds. */
export async function listTools(
  client: Client,
  options: { signal: AbortSignal; timeout: number },
): Promise<ListedTools> {
  const server = describeServer(client);
  if (client.getServerCapabilities()?.tools === undefined)
    return { type: "listed", server, tools: [] };
  const tools = new Map<string, McpTool>();
  const cursors = new Set<string>();
  let [listed, bytes] = [0, 0];
  let ttlMs: number | undefined;
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    if (page === MAX_PAGES) throw tooMuch(`more than ${MAX_PAGES} pages of tools`);
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, options);
    listed += result.tools.length;
    if (listed > MAX_TOOLS) throw tooMuch(`more than ${MAX_TOOLS} tools`);
    for (const one of result.tools) {
      if (!isName(one.name) || tools.has(one.name)) continue;
      const tool = storableTool(one);
      bytes += Buffer.byteLength(JSON.stringify(tool));
      if (bytes > MAX_TOOLS_BYTES)
        throw tooMuch(`more than ${MAX_TOOLS_BYTES / 1024} KiB of tools`);
      tools.set(tool.name, tool);
    }
    ttlMs = shorter(ttlMs, (result as { ttlMs?: unknown }).ttlMs);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
    if (cursors.has(cursor)) throw tooMuch("the same page of tools again");
    cursors.add(cursor);
  }
  const leftOut = listed - tools.size;
  return {
    type: "listed",
    server,
    tools: [...tools.values()],
    ...(leftOut > 0 && { leftOut }),
    ...(ttlMs !== undefined && { ttlMs }),
  };
}

const tooMuch = (what: string): FetchFault =>
  new FetchFault("bad_answer", `The server lists ${what}`);

/** Whether a tool can be called by its name: one that was changed to be stored would be another. */
function isName(name: string): boolean {
  return name.length >= 1 && name.length <= MAX_NAME && isStorable(name);
}

function storableTool(tool: Tool): McpTool {
  const { name, description = "", inputSchema, annotations = {}, title } = tool;
  const hints = pickHints({ ...(title !== undefined && { title }), ...annotations });
  return {
    name,
    description: toStorable(description),
    inputSchema: storable(inputSchema, `The schema of ${name}`) as Record<string, unknown>,
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
    ...(requiresTask(tool) && { requiresTask: true }),
  };
}

function requiresTask(tool: Tool): boolean {
  const { execution } = tool as { execution?: { taskSupport?: unknown } };
  return execution?.taskSupport === "required";
}

function pickHints(annotations: Record<string, unknown>): McpToolAnnotations {
  const { title, ...hints } = annotations;
  const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
  const known = names.filter((name) => typeof hints[name] === "boolean");
  return {
    ...(typeof title === "string" && title !== "" && { title: toStorable(title) }),
    ...Object.fromEntries(known.map((name) => [name, hints[name]])),
  };
}

/**
 * Makes a value of a server storable: well-formed text, at most 64 levels, no name that reaches a prototype.
 * Throws a `FetchFault` that names the value.
 */
export function storable(value: unknown, name: string): unknown {
  try {
    return cleanJson(toStorableJson(value));
  } catch (cause) {
    const message = `${name} is nested deeper than 64 levels, or holds a number that is not finite`;
    throw new FetchFault("bad_answer", message, { cause });
  }
}

const MAX_TTL_MS = 86_400_000;

/** The shorter of two times, of which a server wrote one. A list that holds no time says nothing. */
function shorter(one: number | undefined, other: unknown): number | undefined {
  if (typeof other !== "number" || !(other > 0)) return one;
  return Math.min(one ?? MAX_TTL_MS, Math.floor(other));
}

const MAX_SHORT = 256;
const MAX_INSTRUCTIONS = 16_384;

function describeServer(client: Client): ListedTools["server"] {
  const { name = "", version = "", title } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return {
    name: bounded(name, MAX_SHORT),
    version: bounded(version, MAX_SHORT),
    ...(title !== undefined && { title: bounded(title, MAX_SHORT) }),
    ...(instructions !== undefined && { instructions: bounded(instructions, MAX_INSTRUCTIONS) }),
  };
}

const bounded = (text: string, most: number): string => toStorable(text.slice(0, most));
