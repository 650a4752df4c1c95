import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createFollowers, type Followers, readRounds } from "./followers.ts";
import { tokenOfRound } from "./publish-plan.ts";

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;

async function openServer(): Promise<{ port: number; responses: Map<string, ServerResponse> }> {
  const responses = new Map<string, ServerResponse>();
  const server = createServer(({ url = "" }, response) => {
    responses.set(url, response);
    if (url === "/refused") response.writeHead(429).end("Too many");
    else response.writeHead(200).flushHeaders();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, responses };
}

function openFollowers(): Followers {
  const followers = createFollowers();
  onTestFinished(followers.close);
  return followers;
}

const frame = (round: number) => `data: ${JSON.stringify(tokenOfRound(round, "message"))}\n\n`;

test("what arrives is counted, with the rounds of the events", async () => {
  const { port, responses } = await openServer();
  const followers = openFollowers();
  await followers.open({ port, requests: [request("/a"), request("/b")], count: 2 });
  followers.watch(3);
  responses.get("/a")?.write(frame(0) + frame(1));
  responses.get("/b")?.write(frame(2));
  const { deliveries, timed } = await followers.arrivals();
  expect(deliveries).toBe(3);
  expect(new Set(timed.map(([round]) => round))).toEqual(new Set([0, 1, 2]));
});

test("more than was published is an error", async () => {
  const { port, responses } = await openServer();
  const followers = openFollowers();
  await followers.open({ port, requests: [request("/a")], count: 1 });
  followers.watch(1);
  responses.get("/a")?.write(frame(0) + frame(0));
  await expect(followers.arrivals()).rejects.toThrow("2 events arrived in place of 1");
});

test("a stream that is refused or breaks is an error", async () => {
  const { port, responses } = await openServer();
  const refused = openFollowers().open({ port, requests: [request("/refused")], count: 1 });
  await expect(refused).rejects.toThrow("429");
  const followers = openFollowers();
  await followers.open({ port, requests: [request("/a")], count: 1 });
  followers.watch(1);
  responses.get("/a")?.destroy();
  await expect(followers.arrivals()).rejects.toThrow("closed");
});

function read(bytes: Buffer): (number | undefined)[] {
  const rounds: (number | undefined)[] = [];
  readRounds(bytes, (readRound) => rounds.push(readRound()));
  return rounds;
}

test("every event is found, with its round", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: ping\n\n";
  expect(read(Buffer.from(head + frame(0) + frame(12) + frame(345)))).toEqual([0, 12, 345]);
});

test("an event that comes in two pieces is found once, wherever it was cut", () => {
  const whole = Buffer.from(frame(12));
  for (let cut = 0; cut <= whole.length; cut++) {
    const found = [whole.subarray(0, cut), whole.subarray(cut)].flatMap(read);
    expect(found).toHaveLength(1);
    expect([12, undefined]).toContain(found[0]);
  }
});
