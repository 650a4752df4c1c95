import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { createPlace, openHostedServer, type Place, root, type Server } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { collect } from "../subscriptions.ts";
import { hasNginx, type Nginx, startDeployedNginx, startNginx, takePort } from "./nginx.ts";

// Streams pass an nginx that nobody has tuned for them, as they happen.

const prefix = "/parley";

/** The location that docs/operations.md shows, before another server. */
async function readLocation(url: string): Promise<string> {
  const page = await readFile(path.join(root, "docs/operations.md"), "utf8");
  const [, location = ""] = /```nginx\n([^]*?)```/.exec(page) ?? [];
  expect(location).toContain(`location ${prefix}/`);
  expect(location).toContain("http://127.0.0.1:3000/");
  return location.replace("http://127.0.0.1:3000/", `${url}/`);
}

const reason = hasNginx ? "" : ": it is not installed";

describe.skipIf(!hasNginx)(`streams behind nginx${reason}`, () => {
  let place: Place;
  let server: Server;
  let nginx: Nginx;
  let deployed: Nginx;
  beforeAll(async () => {
    const port = await takePort();
    place = await createPlace();
    const publicUrl = `http://127.0.0.1:${port}${prefix}`;
    server = await openHostedServer(place, { PARLEY_PUBLIC_URL: publicUrl });
    const compressed = "gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;";
    nginx = await startNginx(
      port,
      `location / { proxy_pass ${server.url}; }
       location /compressed/ { ${compressed} proxy_pass ${server.url}/; }
       ${await readLocation(server.url)}`,
    );
    deployed = await startDeployedNginx(await takePort(), server.url);
  });
  afterAll(async () => {
    await deployed?.[Symbol.asyncDispose]();
    await nginx?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  /** The server as it is seen through nginx. */
  const behind = (location = "") => ({
    ...server,
    url:
      location === "deployed"
        ? `http://127.0.0.1:${deployed.port}`
        : `http://127.0.0.1:${nginx.port}${location}`,
  });
  const calls = createCalls(() => server);

  async function ask(agentId: string, blocking: boolean) {
    const { conversation } = await calls.create("Hello", [agentId], { blocking });
    const cId = conversation.sId;
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    const conversationPath = `${pathsOf(server).conversations}/${cId}`;
    const sse = (tail: string) => (conversationPath + tail).replace("/api/", "/api/sse/");
    return {
      cId,
      mId,
      redirect: `${conversationPath}/messages/${mId}/events`,
      stream: sse(`/messages/${mId}/events`),
      conversationStream: sse("/events"),
    };
  }

  test.for([
    { name: "an untouched nginx", location: "", encoding: null },
    { name: "the nginx of docs/operations.md", location: prefix, encoding: null },
    { name: "the nginx of compose.yaml", location: "deployed", encoding: null },
    { name: "an nginx that compresses whatever it can", location: "/compressed", encoding: "gzip" },
  ])("events come through $name as they happen", async ({ name, location, encoding }) => {
    // Few and slow, so that nothing comes because a buffer is full.
    const script = { steps: [{ text: "one two three four" }], tokenDelayMs: 600 };
    const agentId = await calls.createAgent(name, script);
    const { cId, stream } = await ask(agentId, false);
    const headers = { "accept-encoding": "gzip" };
    const response = await open(behind(location), { path: stream, headers });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(response.headers.get("content-encoding")).toBe(encoding);
    const statuses: unknown[] = [];
    for await (const { data } of readFrames(response)) {
      if (!JSON.stringify(data).includes('"generation_tokens"')) continue;
      statuses.push(answersOf(await calls.get(cId))[0]?.status);
    }
    // The answer may have ended when the last is looked at.
    expect(statuses).toHaveLength(4);
    expect(statuses.slice(0, 3)).toEqual(["created", "created", "created"]);
  });

  test("a client that asks for no compression gets none", async () => {
    const { stream } = await ask("helper", true);
    const headers = { "accept-encoding": "identity" };
    const { headers: answered } = await send(behind("/compressed"), { path: stream, headers });
    expect(answered.get("content-encoding")).toBeNull();
  });

  test("heartbeats come through while nothing happens", async () => {
    const { cId, conversationStream } = await ask("helper", true);
    const input = { json: { wId: server.demo.workspaceId, cId } };
    const query = encodeURIComponent(JSON.stringify(input));
    const subscription = `/rpc/conversations.events?input=${query}`;
    const waitForPing = async (location: string, url: string) => {
      const abort = new AbortController();
      const response = await open(behind(location), { path: url, signal: abort.signal });
      let read = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        read += chunk;
        if (/^(?:: ping\n|event: ping\n)/m.test(read)) break;
      }
      abort.abort();
      return read;
    };
    const locations = ["", prefix, "/compressed"];
    const all = locations.flatMap((location) => [
      waitForPing(location, conversationStream),
      waitForPing(location, subscription),
    ]);
    for (const read of await Promise.all(all)) expect(read).toContain("ping");
  });

  test("one connection is kept for one stream after the other, each resumed", async () => {
    const { stream } = await ask("slowpoke", true);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const read = async (cursor: number) => {
      const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
      const headers = {
        authorization: `Bearer ${server.demo.adminKey}`,
        "last-event-id": String(cursor),
      };
      const request = http.get(behind(prefix).url + stream, { agent, headers }, resolve);
      request.on("error", reject);
      const response = await promise;
      let body = "";
      for await (const chunk of response.setEncoding("utf8")) body += chunk as string;
      return { frames: body.split(/(?<=\n\n)/), reused: request.reusedSocket };
    };
    try {
      const whole = await read(0);
      expect(whole.reused).toBe(false);
      for (let cut = 1; cut < whole.frames.length; cut += 7) {
        expect(await read(cut)).toEqual({ frames: whole.frames.slice(cut), reused: true });
      }
    } finally {
      agent.destroy();
    }
  });

  test("the redirect leads to the stream under the prefix", async () => {
    const { redirect, stream } = await ask("helper", true);
    const answer = await send(behind(prefix), { path: redirect });
    expect([answer.status, answer.headers.get("location")]).toEqual([307, prefix + stream]);
    const followed = await fetch(behind(prefix).url + redirect, {
      headers: { authorization: `Bearer ${server.demo.adminKey}` },
    });
    expect(followed.redirected).toBe(true);
    const frames = await Array.fromAsync(readFrames(followed));
    expect(frames.map(({ data }) => data["eventId"])).toEqual(["1", "2"]);
  });

  test("subscriptions complete, and so does their connection", async () => {
    const { cId, mId } = await ask("slowpoke", false);
    const wId = server.demo.workspaceId;
    const client = createRpcClient({ url: behind(prefix).url, apiKey: server.demo.adminKey });
    const followed = collect((observer) =>
      client.messages.events.subscribe({ wId, cId, mId }, observer),
    );
    expect(await followed.end).toBe("complete");
    expect(followed.events.length).toBeGreaterThan(20);
    const query = encodeURIComponent(JSON.stringify({ json: { wId, cId, mId } }));
    const { text: whole } = await send(behind(), { path: `/rpc/messages.events?input=${query}` });
    expect(whole).toMatch(/\nevent: return\ndata: \n\n\n$/);
  });
});
