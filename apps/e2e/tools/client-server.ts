import { readFrames } from "../frames.ts";
import { jsonOf, open, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { RegisteredClientServer } from "@parley/schema";

/** A message to a server in a client. */
export interface ClientMessage {
  readonly id?: string;
  readonly method: string;
  readonly params?: { readonly requestId?: string; readonly arguments?: unknown };
}

interface Warning {
  readonly path: string;
  readonly message: string;
}

/** An MCP server in a client, over HTTP. */
export interface ClientServer extends AsyncDisposable {
  readonly serverId: string;
  /** What it was sent, in order, each once. */
  readonly seen: readonly ClientMessage[];
  /** What its answers were warned of. */
  readonly warnings: readonly Warning[];
  /** The calls among them. */
  calls(): readonly ClientMessage[];
  answer(id: string, result: object): Promise<void>;
}

const tool = {
  name: "find",
  description: "Finds",
  inputSchema: { type: "object", properties: { word: { type: "string" } } },
};
const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "editor", version: "1" },
};

/** The result of a tool. */
export const textResult = (text: string) => ({ content: [{ type: "text", text }] });

/**
 * Registers a server with the tool `find`, and serves it: it resumes its stream after each end. The
 * replicas take turns. Calls get no answer, unless `onCall` has one.
 */
export async function startClientServer(
  replica: () => Pick<Server, "url" | "demo">,
  {
    key,
    onCall,
    tools = [tool],
  }: {
    key?: string;
    onCall?: (message: ClientMessage) => object | undefined;
    tools?: readonly object[];
  } = {},
): Promise<ClientServer> {
  const root = () => `${pathsOf(replica()).workspace}/mcp`;
  const request = (more: Request): Request => ({ ...more, ...(key !== undefined && { key }) });
  const registered = await send(
    replica(),
    request({ path: `${root()}/register`, json: { serverName: "editor" } }),
  );
  const { serverId } = jsonOf(registered, RegisteredClientServer).parsed;
  const stop = new AbortController();
  const { signal } = stop;
  const seen: ClientMessage[] = [];
  const warnings: Warning[] = [];
  const answer = async (id: string, result: object) => {
    const json = { serverId, result: { jsonrpc: "2.0", id, result } };
    const taken = await send(replica(), request({ path: `${root()}/results`, json }));
    if (taken.status !== 200) throw new Error(`Not taken: ${taken.status} ${taken.text}`);
    const said = JSON.parse(taken.text) as { warnings?: readonly Warning[] };
    warnings.push(...(said.warnings ?? []));
  };
  const take = async (message: ClientMessage) => {
    seen.push(message);
    const { id, method } = message;
    if (id === undefined) return;
    if (method === "initialize") await answer(id, initialized);
    if (method === "tools/list") await answer(id, { tools });
    const result = method === "tools/call" ? onCall?.(message) : undefined;
    if (result !== undefined) await answer(id, result);
  };
  let lastEventId = "";
  const follow = async () => {
    const query = `serverId=${serverId}&lastEventId=${lastEventId}`;
    const path = `${root().replace("/api/", "/api/sse/")}/requests?${query}`;
    const stream = await open(replica(), request({ path, signal }));
    for await (const { data } of readFrames(stream)) {
      const { eventId, data: message } = data as { eventId: string; data: ClientMessage };
      lastEventId = eventId;
      await take(message);
    }
  };
  const serve = async () => {
    while (!signal.aborted) {
      await follow().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const serving = serve();
  return {
    serverId,
    seen,
    warnings,
    calls: () => seen.filter(({ method }) => method === "tools/call"),
    answer,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await serving;
    },
  };
}

/** The members of a message that name its author's servers. */
export const usingServers = (...ids: string[]) => ({
  context: { username: "ada", timezone: "UTC", clientSideMCPServerIds: ids },
});

/** The script of an agent that calls `find`, and says what it was answered. */
export const finder = {
  steps: [
    { text: "", toolCalls: [{ name: "editor__find", params: { word: "shoes" } }] },
    { text: "It says: {{result}}" },
  ],
  tokenDelayMs: 0,
};
