import type { Tool } from "@modelcontextprotocol/server";
import { answerTools, listAgentTools } from "./conversation-tools.ts";
import type { McpExchange } from "./exchange.ts";
import { listFunctionTools } from "./function-tools.ts";
import { invocationTools } from "./invocation-tools.ts";
import { invalidCursor, type ListPage, noTools, type ToolPage } from "./pages.ts";

/** Tools of a page. */
const PAGE_SIZE = 50;

/** The tools that read on what had not ended in time. */
async function listReadTools(exchange: McpExchange): Promise<ToolPage> {
  return { ...noTools, tools: [...answerTools(exchange), ...invocationTools(exchange)] };
}

/** The kinds of tools, in the order of the list. */
const kinds: readonly ((exchange: McpExchange, page: ListPage) => Promise<ToolPage>)[] = [
  listReadTools,
  listAgentTools,
  listFunctionTools,
];

/** Lists what the caller may call, a page at a time. Throws `ProtocolError` for a malformed cursor. */
export async function listTools(
  exchange: McpExchange,
  cursor: string | undefined,
): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const start = cursor === undefined ? [0, undefined] : parseCursor(cursor);
  let [kind, lastValue] = start as [number, string | undefined];
  const tools: Tool[] = [];
  for (let list; tools.length < PAGE_SIZE && (list = kinds[kind]) !== undefined;) {
    const page = await list(exchange, { lastValue, limit: PAGE_SIZE - tools.length });
    tools.push(...page.tools);
    lastValue = page.hasMore && page.lastValue !== null ? page.lastValue : undefined;
    if (lastValue === undefined) kind++;
  }
  return { tools, ...(kind < kinds.length && { nextCursor: writeCursor(kind, lastValue) }) };
}

function writeCursor(kind: number, lastValue = ""): string {
  return Buffer.from(`${kind} ${lastValue}`).toString("base64url");
}

function parseCursor(cursor: string): [kind: number, lastValue: string | undefined] {
  const [, kind, lastValue] =
    /^(\d) ([\x21-\x7e]{0,255})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (kind === undefined || Number(kind) >= kinds.length) throw invalidCursor();
  return [Number(kind), lastValue === "" ? undefined : lastValue];
}
