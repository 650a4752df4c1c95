import { testEnd, testToken } from "@parley/core/testing";
import type { LogEvent } from "@parley/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, within } from "../server.ts";
import { openApi, type OpenApi } from "./open-api.ts";

// The routes as HTTP: what they say about a log, what they refuse, and what a wait holds.

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ PARLEY_MAX_STREAMS_PER_KEY: 3 });
});
afterAll(async () => api[Symbol.asyncDispose]());

const notes: LogEvent = {
  type: "agent_message_notes",
  created: 0,
  configurationId: "agent",
  messageId: "message",
  step: 0,
  notes: [],
};

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const read = (path: string, query = "", { headers, ...asked }: Asked = {}) =>
  fetch(api.url + path + query, {
    ...asked,
    headers: { authorization: api.authorization, ...headers },
  });

const about = ({ status, headers }: Response) => ({
  status,
  next: headers.get("stream-next-offset"),
  upToDate: headers.get("stream-up-to-date"),
  closed: headers.get("stream-closed"),
});

async function idsIn(response: Response): Promise<number[]> {
  const items = (await response.json()) as { eventId: string }[];
  return items.map(({ eventId }) => Number(eventId));
}

const offset = (seq: number) => String(seq).padStart(16, "0");
const followed = (count: number) =>
  eventually(async () => (api.followers() === count ? { value: count } : {}), 5000);

test("a log is read in pages, of which the last one says that it is closed", async () => {
  const { logId, path } = await api.openLog();
  const texts = Array.from({ length: 1200 }, (_, index) => testToken(`${index} `));
  await api.append(logId, [...texts, testEnd]);
  const ids: number[] = [];
  const cached: (string | null)[] = [];
  let next = "-1";
  for (;;) {
    const page = await read(path, `?offset=${next}`);
    cached.push(page.headers.get("cache-control"));
    const { upToDate, closed } = about(page);
    next = page.headers.get("stream-next-offset") ?? "";
    ids.push(...(await idsIn(page)));
    expect(closed).toBe(upToDate);
    if (upToDate === "true") break;
  }
  expect(ids).toEqual(Array.from({ length: 1201 }, (_, index) => index + 1));
  expect(cached).toEqual(["private, max-age=60", "private, max-age=60", "private, no-cache"]);
  expect(about(await read(path, `?offset=${next}`))).toEqual({
    status: 200,
    next: offset(1201),
    upToDate: "true",
    closed: "true",
  });
});

test("a tag is of the events and of the end", async () => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a")]);
  const tagOf = async () => (await read(path)).headers.get("etag") ?? "";
  const first = await tagOf();
  const again = await read(path, "", { headers: { "if-none-match": first } });
  expect(again.status).toBe(304);
  expect(again.headers.get("vary")).toContain("Authorization");
  expect(await again.text()).toBe("");
  // Its reader does not get this event, but what it gets next is after it.
  await api.append(logId, [notes]);
  const second = await tagOf();
  await api.close(logId);
  expect(new Set([first, second, await tagOf()]).size).toBe(3);
});

test("HEAD says where a log ends, and is not cached", async () => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a"), notes]);
  const head = await read(path, "", { method: "HEAD" });
  expect(about(head)).toEqual({ status: 200, next: offset(2), upToDate: null, closed: null });
  expect(head.headers.get("content-type")).toBe("application/json");
  expect(head.headers.get("cache-control")).toBe("no-store");
});

test("hidden events are left out, and passed over, unless they are asked for", async () => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a"), notes, testToken("b"), notes]);
  const some = await read(path);
  expect(about(some).next).toBe(offset(4));
  expect(await idsIn(some)).toEqual([1, 3]);
  expect(await idsIn(await read(path, "?include=notes"))).toEqual([1, 2, 3, 4]);
});

test.for(["PUT", "POST", "DELETE", "PATCH"])("%s is not supported", async (method) => {
  const { path } = await api.openLog();
  const answer = await read(path, "", { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET");
});

test.for([
  ["?offset=", "offset"],
  ["?offset=7", "offset"],
  [`?offset=${offset(2)}`, "offset"],
  ["?offset=-1&offset=-1", "offset"],
  ["?live=sse", "offset"],
  ["?live=long-poll", "offset"],
  ["?live=poll&offset=-1", "live"],
] as const)("%s is refused, naming %s", async ([query, field]) => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a")]);
  const answer = await read(path, query);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(`Invalid query parameters: ${field}`);
});

test("what a key does not reach is unknown to it, for every way to read", async () => {
  const { path } = await api.openLog();
  await using other = await openApi();
  for (const query of ["", "?live=sse&offset=-1", "?live=long-poll&offset=-1"]) {
    const foreign = await read(path, query, { headers: { authorization: other.authorization } });
    expect(foreign.status).toBe(401);
    expect((await fetch(api.url + path + query)).status).toBe(401);
    expect((await read(api.unknownPath, query)).status).toBe(404);
  }
});

test("a wait ends with the next event, and gathers what follows at once", async () => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a")]);
  const waiting = read(path, "?offset=now&live=long-poll");
  await followed(1);
  await api.append(logId, [notes]);
  await api.append(logId, [testToken("b")]);
  await api.append(logId, [testToken("c"), testEnd]);
  const answer = await within(5000, waiting);
  expect(about(answer)).toEqual({
    status: 200,
    next: offset(5),
    upToDate: "true",
    closed: "true",
  });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await idsIn(answer)).toEqual([3, 4, 5]);
  await followed(0);
});

test("a wait for nothing ends as the client prefers, past what is hidden", async () => {
  const { logId, path } = await api.openLog();
  await api.append(logId, [testToken("a")]);
  const headers = { prefer: "wait=1" };
  const waiting = read(path, `?offset=${offset(1)}&live=long-poll`, { headers });
  await followed(1);
  await api.append(logId, [notes]);
  const answer = await within(5000, waiting);
  expect(about(answer)).toEqual({ status: 204, next: offset(2), upToDate: "true", closed: null });
  expect(answer.headers.get("stream-cursor")).toMatch(/^\d+$/);
  expect(await answer.text()).toBe("");
});

test("waits hold places among the open streams, until their clients go", async () => {
  const { path } = await api.openLog();
  const gone = new AbortController();
  const waiting = ["long-poll", "long-poll", "sse"].map(async (live) =>
    read(path, `?offset=-1&live=${live}`, { signal: gone.signal }).catch(() => undefined),
  );
  await followed(3);
  for (const live of ["long-poll", "sse"]) {
    const refused = await read(path, `?offset=-1&live=${live}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
  }
  // Reads at once hold none.
  expect((await read(path)).status).toBe(200);
  gone.abort();
  await Promise.all(waiting);
  await followed(0);
});

test("a server that shuts down ends waits at once, and streams in their grace period", async () => {
  await using leaving = await openApi();
  const { logId, path } = await leaving.openLog();
  await leaving.append(logId, [testToken("a")]);
  const headers = { authorization: leaving.authorization };
  const url = `${leaving.url}${path}?offset=${offset(1)}`;
  const waiting = fetch(`${url}&live=long-poll`, { headers });
  const following = fetch(`${url}&live=sse`, { headers }).then((response) => response.text());
  await eventually(async () => (leaving.followers() === 2 ? { value: true } : {}), 5000);
  await within(5000, leaving.shutDown(100));
  expect(about(await waiting)).toMatchObject({ status: 204, next: offset(1), closed: null });
  expect(await following).toMatch(
    /^event: control\ndata:\{"streamNextOffset":"0{15}1",[^\n]*\}\n\n$/,
  );
});
