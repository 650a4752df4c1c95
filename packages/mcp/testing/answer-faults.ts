import { type Attack, type Fault, goodTool } from "./fault.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const raw =
  (body: string | Uint8Array, type = "application/json") =>
  ({ response }: Attack): void =>
    void response.writeHead(200, { "content-type": type }).end(body);

/** Answers with tools, or to a call with the parts of its result. */
const tools = (list: readonly unknown[]): Fault => ({
  attack: ({ answer, result }) => answer({ ...result, tools: list }),
});

/** Lists a tool, and answers a call, with a member that is JSON as it is written here. */
const member = (text: string): Fault => ({
  attack: (attack) => {
    const { message, result } = attack;
    const place = message.method === "tools/list" ? "inputSchema" : "structuredContent";
    const holder =
      place === "inputSchema" ? { tools: [{ ...goodTool, [place]: 0 }] } : { [place]: 0 };
    const answer = { jsonrpc: "2.0", id: message.id, result: { ...result, ...holder } };
    raw(JSON.stringify(answer).replace(`"${place}":0`, `"${place}":${text}`))(attack);
  },
});

/** Asks the client for something in the middle of its work, and answers once that was declined. */
const asks = (method: string): Fault => ({
  era: "legacy",
  attack: async (attack) => {
    const { message, result } = attack;
    attack.stream();
    const answered = attack.answerOf("from-server");
    attack.send({ id: "from-server", method, params: {} });
    const { error } = await answered;
    const text = `declined with ${error?.code}`;
    attack.send({ id: message.id, result: { ...result, content: [{ type: "text", text }] } });
    attack.response.end();
  },
});

/** Faults of what is said: JSON, JSON-RPC, tools and results. */
export const answerFaults = {
  "wrong content type": { attack: raw("{}", "text/plain") },
  "no content type": { attack: ({ response }) => void response.writeHead(200).end("{}") },
  html: { attack: raw("<!doctype html><title>Sign in</title>", "text/html; charset=utf-8") },
  "accepted, and no answer": { attack: ({ response }) => void response.writeHead(202).end() },
  "invalid JSON": { attack: raw('{"jsonrpc":"2.0","id":') },
  "invalid JSON in events": { attack: raw("data: {nonsense\n\n", "text/event-stream") },
  "invalid UTF-8": { attack: raw(Buffer.from([0x22, 0xc3, 0x28, 0x22])) },
  "invalid UTF-8 in events": {
    attack: raw(Buffer.from("data: \u00ff\n\n", "latin1"), "text/event-stream"),
  },
  "not JSON-RPC": { attack: raw('{"tools":[]}') },
  "wrong id": {
    attack: (attack) =>
      raw(JSON.stringify({ jsonrpc: "2.0", id: 999, result: attack.result }))(attack),
  },
  "no id": { attack: raw('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}') },
  "answers to another request": {
    attack: (attack) => {
      attack.stream();
      attack.send({ id: 999, result: attack.result });
    },
  },
  "two answers": {
    attack: (attack) => {
      const answer = { jsonrpc: "2.0", id: attack.message.id, result: attack.result };
      raw(JSON.stringify([answer, answer]))(attack);
    },
  },
  "two answers in events": {
    attack: (attack) => {
      const answer = { jsonrpc: "2.0", id: attack.message.id, result: attack.result };
      raw(`data: ${JSON.stringify(answer)}\n\n`.repeat(2), "text/event-stream")(attack);
    },
  },
  "a stream that ends early": {
    attack: (attack) => {
      attack.stream();
      attack.response.end(": nothing\n\n");
    },
  },
  "a stream that continues elsewhere": {
    target: "streams",
    attack: (attack) => {
      const { request, response, message, result } = attack;
      attack.stream();
      if (message.id !== undefined) {
        response.end(`retry: 1\nid: after-${message.id}\ndata: \n\n`);
        return;
      }
      const id = Number(String(request.headers["last-event-id"]).replace("after-", ""));
      attack.send({ id, result: { ...result, tools: [goodTool] } });
      response.end();
    },
  },
  "a stream that cannot be resumed": {
    attack: (attack) => {
      attack.stream();
      attack.response.end('retry: 1\nid: 1\ndata: {"jsonrpc":"2.0","method":"x"}\n\n');
    },
  },
  "a stream that is resumed without end": {
    target: "streams",
    attack: (attack) => {
      attack.stream();
      attack.response.end('retry: 1\nid: 1\ndata: {"jsonrpc":"2.0","method":"x"}\n\n');
    },
  },
  "an error that repeats the secret": {
    attack: (attack) => {
      const message = `bad token: ${attack.request.headers.authorization} \u0000`;
      const error = { code: -32_000, message };
      raw(JSON.stringify({ jsonrpc: "2.0", id: attack.message.id, error }))(attack);
    },
  },
  "an error of 100 kB": {
    attack: (attack) => {
      const error = { code: -32_000, message: "x".repeat(100_000) };
      raw(JSON.stringify({ jsonrpc: "2.0", id: attack.message.id, error }))(attack);
    },
  },
  "a header mismatch": {
    attack: (attack) => {
      const error = { code: -32_020, message: "HEADER_MISMATCH" };
      attack.response.writeHead(400, { "content-type": "application/json" });
      attack.response.end(JSON.stringify({ jsonrpc: "2.0", id: attack.message.id, error }));
    },
  },
  "deep JSON": { attack: raw(nested(100_000)) },
  "a deep value": member(`{"type":"object","deep":${nested(65)}}`),
  "many values": member(`{"type":"object","many":[${"0,".repeat(100_000)}0]}`),
  "an infinite number": member('{"type":"object","most":1e999}'),
  "names of prototypes": member('{"type":"object","__proto__":{"a":1},"x":{"constructor":{}}}'),
  "NUL and lone surrogates": member(String.raw`{"type":"object","a\u0000":"b\u0000\ud800"}`),
  "10,000 tools": tools(
    Array.from({ length: 10_000 }, (_, index) => ({ ...goodTool, name: `tool-${index}` })),
  ),
  "a tool with a schema of 1 MB": tools([
    { ...goodTool, inputSchema: { type: "object", description: "x".repeat(1_000_000) } },
  ]),
  "a schema that is no object": tools([{ ...goodTool, inputSchema: "anything" }]),
  "tools that are no list": { attack: ({ answer, result }) => answer({ ...result, tools: 7 }) },
  "names that are taken": tools([goodTool, { ...goodTool, description: "Another" }]),
  "names that are unusable": tools([
    goodTool,
    { ...goodTool, name: "nul\u0000" },
    { ...goodTool, name: "lone\ud800" },
    { ...goodTool, name: "" },
    { ...goodTool, name: "x".repeat(10_000) },
  ]),
  "the same page without end": {
    attack: ({ answer, result }) => answer({ ...result, nextCursor: "again" }),
  },
  "new pages without end": {
    attack: ({ answer, result, round }) =>
      answer({ ...result, tools: [], nextCursor: `page-${round}` }),
  },
  "a result without content": {
    target: "call",
    attack: ({ answer }) => answer({ resultType: "complete", content: "text" }),
  },
  "a part of an unknown type": {
    target: "call",
    attack: ({ answer, result }) => answer({ ...result, content: [{ type: "video" }] }),
  },
  "an error of the tool": {
    target: "call",
    attack: ({ answer, result }) => answer({ ...result, isError: true }),
  },
  "asks for input": {
    target: "call",
    attack: ({ answer }) =>
      answer({
        resultType: "input_required",
        inputRequests: { name: { method: "elicitation/create", params: { message: "Who?" } } },
      }),
  },
  "asks for sampling": asks("sampling/createMessage"),
  "asks for elicitation": asks("elicitation/create"),
  "asks for roots": asks("roots/list"),
  "changes its tools": {
    era: "legacy",
    attack: (attack) => {
      attack.stream();
      attack.send({ method: "notifications/tools/list_changed" });
      attack.send({ id: attack.message.id, result: attack.result });
      attack.response.end();
    },
  },
  "progress without pause": {
    target: "call",
    attack: (attack) => {
      const { _meta } = attack.message.params as { _meta: { progressToken: number } };
      const { progressToken } = _meta;
      attack.stream();
      for (let progress = 1; progress <= 1000; progress++) {
        attack.send({ method: "notifications/progress", params: { progressToken, progress } });
      }
      attack.send({ id: attack.message.id, result: attack.result });
      attack.response.end();
    },
  },
} satisfies Record<string, Fault>;
