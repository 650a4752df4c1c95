import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Attack, Fault } from "./fault.ts";

const json = { "content-type": "application/json" };
const mebibyte = Buffer.alloc(1_048_576, " ");
/** 100 MB of zeros, in 100 kB. */
let bomb: Buffer | undefined;

/** Writes a chunk again and again, as fast as it is read, until the reader has gone or it is enough. */
function pour(response: ServerResponse, chunk: Buffer | string, times = Infinity): void {
  let left = times;
  const more = () => {
    while (left-- > 0 && !response.destroyed) if (!response.write(chunk)) return;
    if (!response.destroyed) response.end();
  };
  response.on("drain", more);
  more();
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  ({ response }: Attack): void =>
    void response.writeHead(code, headers).end("no");

const redirect =
  (toLocation: (attack: Attack) => string, code = 307) =>
  (attack: Attack): void =>
    void attack.response.writeHead(code, { location: toLocation(attack) }).end();

/** Faults of connections, of HTTP, and of what bodies weigh. */
export const httpFaults = {
  "refused connections": {},
  "no handshake": { connected: () => {} },
  "accepts and says nothing": { connected: () => {} },
  "closes at once": { connected: (socket) => void socket.destroy() },
  "does not speak HTTP": {
    connected: (socket) => socket.on("data", () => socket.end("220 ready\r\n")),
  },
  "headers without end": {
    connected: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write(`x-padding: ${"x".repeat(1000)}\r\n`));
      };
      socket.on("drain", more);
      more();
    },
  },
  "early hints without end": {
    connected: (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"));
      };
      socket.on("data", more);
      socket.on("drain", more);
    },
  },
  "chunks without end": {
    attack: ({ request: { socket } }) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n");
      socket.write("transfer-encoding: chunked\r\n\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write(`1;${"x".repeat(10_000)}\r\n \r\n`));
      };
      socket.on("drain", more);
      more();
    },
  },
  "says nothing to work": { attack: () => {} },
  "silence in a session": { era: "legacy", attack: () => {} },
  "headers and then nothing": {
    attack: ({ response }) => response.writeHead(200, json).flushHeaders(),
  },
  "slow drip": {
    attack: ({ response }) => {
      response.writeHead(200, json);
      const timer = setInterval(() => void response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    },
  },
  "endless pings": {
    attack: (attack) => {
      attack.stream();
      pour(attack.response, ": ping\n\n".repeat(1000));
    },
  },
  "endless body": {
    attack: ({ response }) => {
      response.writeHead(200, json);
      pour(response, mebibyte);
    },
  },
  "a line of 100 MB": {
    attack: (attack) => {
      attack.stream();
      attack.response.write("data: ");
      pour(attack.response, mebibyte, 100);
    },
  },
  "gzip bomb": {
    attack: ({ response }) =>
      void response
        .writeHead(200, { ...json, "content-encoding": "gzip" })
        .end((bomb ??= gzipSync(Buffer.alloc(100_000_000)))),
  },
  "gzip bomb of events": {
    attack: ({ response }) =>
      void response
        .writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" })
        .end((bomb ??= gzipSync(Buffer.alloc(100_000_000)))),
  },
  "unknown encoding": {
    attack: ({ response }) =>
      void response.writeHead(200, { ...json, "content-encoding": "gzip, gzip" }).end("x"),
  },
  "broken gzip": {
    attack: ({ response }) =>
      void response.writeHead(200, { ...json, "content-encoding": "gzip" }).end("not gzip"),
  },
  "error of 100 MB": {
    attack: ({ response }) => {
      response.writeHead(400, json);
      pour(response, mebibyte, 100);
    },
  },
  "401 with a challenge": {
    attack: status(401, {
      "www-authenticate":
        'Bearer resource_metadata="https://tools.example/.well-known/oauth-protected-resource", scope="read"',
    }),
  },
  "401 alone": { attack: status(401) },
  "403": {
    attack: status(403, { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' }),
  },
  "404 in a session": { era: "legacy", attack: status(404) },
  "421": { attack: status(421) },
  "429": { attack: status(429) },
  "500": { attack: status(500) },
  "500 to the greeting": { target: "greeting", attack: status(500) },
  "502 and then fine": {
    target: "greeting",
    attack: ({ response, round, answer, result }) => {
      if (round === 0) return void response.writeHead(502).end();
      const supportedVersions = ["2026-07-28"];
      return answer({ ...result, supportedVersions, capabilities: { tools: {} } });
    },
  },
  "silent greeting and then fine": {
    target: "greeting",
    attack: ({ round, answer, result }) => {
      const supportedVersions = ["2026-07-28"];
      if (round > 0) answer({ ...result, supportedVersions, capabilities: { tools: {} } });
    },
  },
  "redirect inward": { attack: redirect(() => "http://169.254.169.254/latest/meta-data") },
  "redirect to itself": { attack: redirect(({ url }) => url) },
  "redirect of the method": { attack: redirect(({ url }) => url, 302) },
  "redirect to another origin": {
    attack: redirect(({ url }) => url.replace("127.0.0.1", "localhost")),
  },
  moved: {
    target: "greeting",
    attack: ({ request, response, url, answer, result }) => {
      const supportedVersions = ["2026-07-28"];
      if (request.url === "/mcp") response.writeHead(308, { location: `${url}/` }).end();
      else answer({ ...result, supportedVersions, capabilities: { tools: {} } });
    },
  },
  "reset before the answer": {
    attack: ({ request }) => void request.socket.resetAndDestroy(),
  },
  "reset in the answer": {
    attack: ({ request, response }) => {
      response.writeHead(200, json);
      response.write('{"jsonrpc":', () => void request.socket.resetAndDestroy());
    },
  },
  "reset in the stream": {
    attack: (attack) => {
      attack.stream();
      attack.response.write(": soon\n\n", () => void attack.request.socket.resetAndDestroy());
    },
  },
} as const satisfies Record<string, Fault>;
