import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { pathsOf } from "../request.ts";
import { shareServer, within } from "../server.ts";
import { compose } from "./raw.ts";

// A refusal comes before the body was read. Clients that send all of it first, and close the
// connection behind each request, read the refusal nevertheless.

const MEGABYTE = 1024 * 1024;
const server = shareServer({ PARLEY_RATE_CREATE_PER_HOUR: "1" });

interface Refused {
  readonly status: number;
  readonly key?: string;
  readonly path: () => string;
  readonly method?: string;
}
const conversations = () => pathsOf(server()).conversations;
const refusals: Refused[] = [
  { status: 401, key: "sk-nobody", path: conversations },
  { status: 401, key: "sk-nobody", path: () => "/rpc/apiKeys.create" },
  { status: 401, key: "sk-nobody", path: () => `${pathsOf(server()).workspace}/files/fil_x` },
  { status: 404, path: () => "/nothing" },
  { status: 405, path: conversations, method: "PUT" },
  { status: 413, path: () => `${conversations()}/x/cancel` },
  { status: 413, path: () => "/rpc/apiKeys.create" },
  { status: 429, path: conversations },
];

/** The lines of a request of such a size, with the connection closed behind it. */
function headOf({ method = "POST", path, key }: Refused, bytes: number): string {
  const headers = ["Content-Type: application/json", `Content-Length: ${bytes}`];
  const lines = compose(server(), `${method} ${path()} HTTP/1.1`, {
    headers: [...headers, "Connection: close"],
  });
  return key === undefined ? lines : lines.replace(server().demo.adminKey, key);
}

/** Sends all of it and only then reads, as most clients do that know no event loop. */
async function sendThenRead(head: string, body: Buffer): Promise<string> {
  const { hostname, port } = new URL(server().url);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    await once(socket, "connect");
    socket.pause();
    const sent = Promise.withResolvers<void>();
    socket.on("error", sent.reject);
    socket.write(Buffer.concat([Buffer.from(head), body]), () => sent.resolve());
    await within(10_000, sent.promise);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    const ended = once(socket, "end");
    socket.resume();
    await within(10_000, ended);
    return text;
  } finally {
    socket.destroy();
  }
}

test.for([9, 20])(
  "a refusal of %i MiB reaches clients that send all before they read",
  async (size) => {
    const body = Buffer.alloc(size * MEGABYTE, "x");
    await sendThenRead(headOf(refusals.at(-1)!, 2), Buffer.from("{}"));
    for (const refused of refusals) {
      const answer = await sendThenRead(headOf(refused, body.length), body);
      const about = `${refused.method ?? "POST"} ${refused.path()}`;
      expect(`${about}: ${answer.slice(0, 12)}`).toBe(`${about}: HTTP/1.1 ${refused.status}`);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer).toMatch(/"type":"\w+"/);
    }
  },
);

test("a refusal of 20 MiB reaches clients of Node's that keep no connection", async () => {
  const body = Buffer.alloc(20 * MEGABYTE, "x");
  const agent = new Agent({ keepAlive: false });
  for (const { status, path, key = server().demo.adminKey, method = "POST" } of refusals) {
    for (let attempt = 0; attempt < 2; attempt++) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const asked = request(server().url + path(), { method, headers, agent });
      asked.on("error", () => {});
      asked.end(body);
      const [answer] = (await within(10_000, once(asked, "response"))) as [
        AsyncIterable<Buffer> & { statusCode: number },
      ];
      let text = "";
      for await (const chunk of answer) text += chunk.toString();
      expect([answer.statusCode, text]).toEqual([status, expect.stringMatching(/"type":"\w+"/)]);
    }
  }
});

test("a client that continues sending after a refusal is cut off", async () => {
  const { hostname, port } = new URL(server().url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  const closed = once(socket, "close");
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.write(headOf(refusals[0]!, 10_000 * MEGABYTE));
  const megabyte = Buffer.alloc(MEGABYTE);
  const pour = () => {
    while (socket.writable && socket.write(megabyte));
  };
  socket.on("drain", pour);
  pour();
  await within(12_000, closed);
  expect(received).toMatch(/^HTTP\/1\.1 401 /);
  expect(socket.bytesWritten).toBeLessThan(1000 * MEGABYTE);
});
