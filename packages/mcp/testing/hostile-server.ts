import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { type Attack, type Fault, goodTool, type SentMessage } from "./fault.ts";
import { type FaultName, faults } from "./hostile-faults.ts";
import { holdRefusingPort } from "./refusing-port.ts";

export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  /** As `allowedHosts` has it. */
  readonly host: string;
  /** What it was asked. */
  readonly requests: readonly {
    readonly method: string;
    readonly headers: IncomingMessage["headers"];
    readonly params: unknown;
  }[];
  /** How often it received a call of a tool. */
  readonly calls: number;
  /** How many bytes it could write. */
  readonly bytesWritten: number;
}

const targets: Record<NonNullable<Fault["target"]>, readonly string[]> = {
  greeting: ["server/discover", "initialize"],
  work: ["tools/list", "tools/call"],
  call: ["tools/call"],
  streams: ["tools/list", "tools/call", "GET"],
};

/** Starts a server on loopback that misbehaves in one way. */
export async function startHostileServer(name: FaultName): Promise<HostileServer> {
  const fault: Fault = faults[name];
  const { target = "work" } = fault;
  const sockets = new Set<Socket>();
  const requests: HostileServer["requests"][number][] = [];
  const answers = new Map<string, (message: SentMessage) => void>();
  let [rounds, calls, bytesWritten] = [0, 0, 0];

  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const message = (body === "" ? {} : JSON.parse(body)) as SentMessage;
    const method = message.method ?? request.method ?? "";
    requests.push({ method, headers: request.headers, params: message.params });
    if (method === "tools/call") calls += 1;
    const attack = toAttack({ request, response, message, url, round: rounds }, answers);
    if (fault.attack !== undefined && targets[target].includes(method)) {
      rounds += 1;
      await fault.attack(attack);
    } else {
      answerWell(attack, fault.era);
    }
  };
  const server =
    fault.connected === undefined
      ? createServer((request, response) => void onRequest(request, response).catch(() => {}))
      : createTcpServer(fault.connected);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      bytesWritten += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const refusing = name === "refused connections" ? await holdRefusingPort() : undefined;
  const { port } = refusing ?? (server.address() as AddressInfo);
  const host = `127.0.0.1:${port}`;
  const url = `${name === "no handshake" ? "https" : "http"}://${host}/mcp`;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
    await refusing?.[Symbol.asyncDispose]();
  };
  return {
    url,
    host,
    requests,
    get calls() {
      return calls;
    },
    get bytesWritten() {
      return bytesWritten + [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function toAttack(
  asked: Pick<Attack, "request" | "response" | "message" | "url" | "round">,
  answers: Map<string, (message: SentMessage) => void>,
): Attack {
  const { response, message } = asked;
  const result = goodResult(message.method ?? "");
  if (message.method === undefined && message.id !== undefined) {
    answers.get(String(message.id))?.(message);
  }
  return {
    ...asked,
    result,
    answer: (given = result) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: given }));
    },
    stream: () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
    },
    send: (event) => {
      response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...event })}\n\n`);
    },
    answerOf: (id) => new Promise((resolve) => answers.set(id, resolve)),
  };
}

const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

function goodResult(method: string): Record<string, unknown> {
  if (method === "tools/list") return { ...modern, tools: [goodTool] };
  return { ...modern, content: [{ type: "text", text: "fine" }] };
}

function answerWell(attack: Attack, era: Fault["era"]): void {
  const { message, request, response, answer } = attack;
  const { method, id } = message;
  if (request.method === "GET" && era === "legacy") return attack.stream();
  if (request.method !== "POST") return void response.writeHead(405).end();
  if (id === undefined || method === undefined) return void response.writeHead(202).end();
  if (method === "server/discover") {
    if (era === "legacy") return void response.writeHead(400).end();
    const capabilities = { tools: {} };
    return answer({ ...modern, supportedVersions: ["2026-07-28"], capabilities });
  }
  if (method !== "initialize") return answer();
  response.setHeader("mcp-session-id", "a-session");
  const capabilities = { tools: { listChanged: true } };
  const serverInfo = { name: "hostile", version: "1" };
  return answer({ protocolVersion: "2025-11-25", capabilities, serverInfo });
}
