import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { dueAfter, readOn } from "./unread-bodies.ts";

it("leaves nothing on a connection that many refused bodies come over", async () => {
  const sockets = new Set<Socket>();
  const counts: number[] = [];
  const server = createServer((refused, response) => {
    sockets.add(refused.socket);
    counts.push(refused.socket.listenerCount("close"));
    response.writeHead(401).end();
  });
  readOn(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let nth = 0; nth < 15; nth++) {
    const headers = { "content-length": 4 };
    const post = request({ host: "127.0.0.1", port, method: "POST", headers, agent });
    post.flushHeaders();
    const [response] = (await once(post, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    post.end("late");
    response.resume();
    await once(response, "close");
  }
  expect(sockets.size).toBe(1);
  expect(new Set(counts.slice(1)).size).toBe(1);
});

it("reads what still comes of a refused body slowly", async () => {
  const server = createServer((refused, response) => {
    response.writeHead(429, { connection: "close" }).end();
    refused.once("end", () => server.emit("discarded"));
  });
  readOn(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const body = Buffer.alloc(32 * 1024 * 1024);
  const post = request({ host: "127.0.0.1", port, method: "POST", agent: false });
  post.setHeader("content-length", body.length);
  post.end(body);
  const [response] = (await once(post, "response")) as [IncomingMessage];
  const answeredAt = performance.now();
  response.resume();
  await once(server, "discarded");
  // 512 reads of 64 KiB, one each 2 ms; at once, it takes a tenth of a second.
  expect(performance.now() - answeredAt).toBeGreaterThan(500);
});

it("spends no turn on bodies of which nothing comes", async () => {
  const server = createServer((refused, response) => {
    response.writeHead(429, { connection: "close" }).end();
    refused.once("end", () => server.emit("discarded"));
  });
  readOn(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const silent = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = connect(port, "127.0.0.1");
      socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
      await once(socket, "data");
      return socket;
    }),
  );
  onTestFinished(() => silent.forEach((socket) => socket.destroy()));
  const body = Buffer.alloc(8 * 1024 * 1024);
  const post = request({ host: "127.0.0.1", port, method: "POST", agent: false });
  post.setHeader("content-length", body.length);
  const discarded = once(server, "discarded");
  const sentAt = performance.now();
  post.end(body);
  const [response] = (await once(post, "response")) as [IncomingMessage];
  response.resume();
  await discarded;
  // 128 reads; with a turn for each of the silent ones, 51 s.
  expect(performance.now() - sentAt).toBeLessThan(10_000);
}, 30_000);

it.each([
  ["in time", 1000, 1000, 1002],
  ["late: at once, until the pace is kept again", 1000, 1030, 1002],
  ["very late: as if it were late by a tenth of a second", 1000, 9000, 8900],
])("reads the next of it %s", (_, due, now, next) => {
  expect(dueAfter(due, now)).toBe(next);
});

it("keeps that pace where the event loop is held up now and then", async () => {
  const server = createServer((refused, response) => {
    response.writeHead(429, { connection: "close" }).end();
    refused.once("end", () => server.emit("discarded"));
  });
  readOn(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const body = Buffer.alloc(16 * 1024 * 1024);
  const { port } = server.address() as AddressInfo;
  const post = request({ host: "127.0.0.1", port, method: "POST", agent: false });
  post.setHeader("content-length", body.length);
  post.end(body);
  const [response] = (await once(post, "response")) as [IncomingMessage];
  response.resume();
  let holds = 0;
  const held = setInterval(() => {
    holds++;
    const until = performance.now() + 40;
    while (performance.now() < until);
  }, 60);
  onTestFinished(() => clearInterval(held));
  await once(server, "discarded");
  // 256 reads, of which 10 would come between two holds, and with what was missed 30.
  expect(holds).toBeLessThan(18);
});
