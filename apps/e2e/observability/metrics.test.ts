import http, { type IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { open, pathsOf, send } from "../request.ts";
import { type Server, shareServer } from "../server.ts";
import { metricsUrl, scrape, scrapeUntil } from "./scrape.ts";

const settings = {
  PARLEY_METRICS_PORT: "0",
  PARLEY_MAX_STREAMS_PER_KEY: "4",
  PARLEY_RATE_INVOKE_PER_MINUTE: "3",
  PARLEY_STREAM_STALL_MS: "300",
  PARLEY_STREAM_BUFFER_BYTES: "1024",
};

interface Created {
  readonly conversation: { readonly sId: string };
}

async function create(server: Server, agent: string | undefined, blocking = true) {
  const mentions = agent === undefined ? [] : [{ configurationId: agent }];
  const json = { message: { content: "Hello", mentions }, blocking };
  const answer = await send(server, {
    path: pathsOf(server).conversations,
    json,
    key: server.demo.userKey,
  });
  expect(answer.status).toBe(200);
  const { conversation } = JSON.parse(answer.text) as Created;
  const path = `${pathsOf(server).conversations}/${conversation.sId}`;
  return { path, events: path.replace("/api/", "/api/sse/") + "/events" };
}

/** Opens a stream that nobody reads. */
async function openUnread(server: Server, path: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${server.demo.userKey}` };
  http.get(server.url + path, { headers, agent: false }, resolve).on("error", reject);
  return promise;
}

const ofConversations = { stream: "conversations.events", transport: "sse" };

describe("a server", () => {
  // Metrics are those of a process: nothing else may run in it.
  const server = shareServer(settings, { isAlone: true });

  test("the bytes that workspaces store are one sum, without a label for each", async () => {
    const bytesOf = ({ value }: Awaited<ReturnType<typeof scrape>>) =>
      value("parley_stored_bytes") ?? 0;
    const before = bytesOf(await scrape(server()));
    const json = { message: { content: "x".repeat(100_000), mentions: [] } };
    expect((await send(server(), { path: pathsOf(server()).conversations, json })).status).toBe(
      200,
    );
    const { text, value } = await scrapeUntil(server(), (now) => bytesOf(now) > before + 100_000);
    expect(text).toMatch(/^parley_stored_bytes \d+$/m);
    expect(value("parley_workspaces_full")).toBe(0);
    expect(value("parley_alerts_open", { measure: "error_rate" })).toBe(0);
  });

  test("streams are counted while they are open, and by how they began and ended", async () => {
    const { path, events } = await create(server(), undefined);
    const leave = new AbortController();
    const openOne = (query = "") =>
      open(server(), { path: events + query, signal: leave.signal, key: server().demo.userKey });
    const before = await scrape(server());
    const streams = await Promise.all([openOne(), openOne(), openOne("?lastEventId=1")]);
    const opened = await scrapeUntil(
      server(),
      // One event each for those from the start, which begins with the user's message.
      ({ value }) =>
        value("parley_streams_open", ofConversations) === 3 &&
        value("parley_events_sent_total", ofConversations) === 2,
    );
    expect(opened.value("parley_streams_opened_total", ofConversations)).toBe(3);
    expect(opened.value("parley_stream_resumes_total", ofConversations)).toBe(1);
    expect(opened.value("parley_followed_logs")).toBe(1);

    const lagOf = ({ value }: typeof before) => value("parley_delivery_lag_seconds_count") ?? 0;
    const json = { content: "Once more", mentions: [] };
    await send(server(), { path: `${path}/messages`, json });
    const sent = await scrapeUntil(
      server(),
      ({ value }) => value("parley_events_sent_total", ofConversations) === 5,
    );
    expect(lagOf(sent) - lagOf(opened)).toBe(1);
    // Streams that nothing refers to any more are closed.
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);

    leave.abort();
    const left = await scrapeUntil(
      server(),
      ({ value }) => value("parley_streams_open", ofConversations) === 0,
    );
    expect(left.value("parley_streams_opened_total", ofConversations)).toBe(3);
    expect(left.value("parley_stream_evictions_total")).toBeUndefined();
  });

  test("a reader that takes nothing is counted when it is cut off", async () => {
    const { path, events } = await create(server(), undefined);
    const stalled = await openUnread(server(), events);
    stalled.on("error", () => {});
    const json = { content: "x".repeat(1_000_000), mentions: [] };
    for (let message = 0; message < 16; message++) {
      await send(server(), { path: `${path}/messages`, json });
    }
    const evicted = { stream: "conversations.events", cause: "stalled" };
    const scraped = await scrapeUntil(
      server(),
      ({ value }) => value("parley_stream_evictions_total", evicted) === 1,
    );
    expect(scraped.value("parley_stream_overruns_total")).toBeGreaterThan(0);
    stalled.destroy();
  });

  test("subscriptions are counted like streams", async () => {
    const created = await create(server(), undefined);
    const wId = server().demo.workspaceId;
    const input = JSON.stringify({ json: { wId, cId: created.path.split("/").at(-1) } });
    const leave = new AbortController();
    const query = new URLSearchParams({ input });
    const path = `/rpc/conversations.events?${query}`;
    const subscription = await open(server(), { path, signal: leave.signal });
    const overRpc = { ...ofConversations, transport: "rpc" };
    const opened = await scrapeUntil(
      server(),
      ({ value }) => value("parley_events_sent_total", overRpc) === 1,
    );
    expect(opened.value("parley_streams_open", overRpc)).toBe(1);
    expect(subscription.status).toBe(200);
    leave.abort();
    await scrapeUntil(server(), ({ value }) => value("parley_streams_open", overRpc) === 0);
  });

  test("requests are measured by route, and nothing that was sent is a label", async () => {
    const { path } = await create(server(), undefined);
    await send(server(), { path: `${path}?token=in-the-query` });
    await send(server(), { path: `${pathsOf(server()).conversations}/no-such-one` });
    await send(server(), { path: "/some/where/else" });
    const route = "/api/v1/w/:wId/assistant/conversations/:cId";
    const labels = { http_request_method: "GET", http_route: route };
    const name = "http_server_request_duration_seconds_count";
    const notFound = { http_response_status_code: "404", error_type: "conversation_not_found" };
    const scraped = await scrapeUntil(
      server(),
      ({ value }) => value(name, { ...labels, ...notFound }) === 1,
    );
    const found = { http_response_status_code: "200", error_type: "" };
    expect(scraped.value(name, { ...labels, ...found })).toBe(1);
    expect(scraped.value(name, { http_route: "", error_type: "not_found" })).toBe(1);
    expect(scraped.value("http_server_active_requests")).toBe(0);
    const { demo } = server();
    const own = [demo.workspaceId, demo.adminKey, demo.userKey, path.split("/").at(-1) ?? ""];
    for (const text of [...own, "in-the-query", "no-such-one", "some/where"]) {
      expect(scraped.text).not.toContain(text);
    }
  });

  test("lists that are answered from the cache are measured like the others", async () => {
    const { skills } = pathsOf(server());
    for (let call = 0; call < 3; call++) await send(server(), { path: `${skills}?status=active` });
    const labels = { http_route: "/api/v1/w/:wId/skills", http_response_status_code: "200" };
    const name = "http_server_request_duration_seconds_count";
    const scraped = await scrapeUntil(server(), ({ value }) => value(name, labels) === 3);
    expect(scraped.value("http_server_active_requests")).toBe(0);
  });

  test("refusals are counted by what refused", async () => {
    const before = await scrape(server());
    const invoke = { path: pathsOf(server()).invocations("add"), json: { input: { a: 1, b: 2 } } };
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await send(server(), invoke)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    await send(server(), { path: pathsOf(server()).skills, key: "sk-nobody" });
    await send(server(), { path: pathsOf(server()).skills, key: null });
    const { events } = await create(server(), undefined);
    const leave = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => open(server(), { path: events, signal: leave.signal })),
    );
    const refusedStreams = streams.filter(({ status }) => status === 429);
    expect([streams.length, refusedStreams.length]).toEqual([5, 1]);
    leave.abort();
    const { value } = await scrape(server());
    expect(value("parley_rate_limited_total", { limit: "invoke" })).toBe(1);
    expect(value("parley_rate_limited_total", { limit: "streams" })).toBe(1);
    const refused = (type: string) => {
      const labels = { error_type: type };
      const name = "parley_credentials_refused_total";
      return (value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    };
    expect(refused("invalid_api_key_error")).toBe(1);
    expect(refused("not_authenticated")).toBe(1);
  });

  test("runs are counted from their claim to their end, and models' steps are measured", async () => {
    const before = await scrape(server());
    await create(server(), "helper");
    await create(server(), "faulty");
    const changed = (scraped: typeof before, name: string, labels: Record<string, string>) =>
      (scraped.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    const turns = { kind: "agent_turn" };
    const finished = "parley_runs_finished_total";
    const after = await scrapeUntil(
      server(),
      (now) => changed(now, finished, { ...turns, outcome: "failed" }) === 1,
    );
    expect(changed(after, finished, { ...turns, outcome: "succeeded" })).toBe(1);
    expect(changed(after, "parley_runs_claimed_total", turns)).toBe(2);
    expect(after.value("parley_runs_running", turns)).toBe(0);
    const operation = { gen_ai_operation_name: "chat", gen_ai_provider_name: "simulated" };
    const name = "gen_ai_client_operation_duration_seconds_count";
    expect(changed(after, name, { ...operation, error_type: "" })).toBe(1);
    expect(changed(after, name, { ...operation, error_type: "provider_error" })).toBe(1);
    // The three that were let through, above.
    const added = { kind: "invocation", outcome: "succeeded" };
    expect(after.value(finished, added)).toBe(3);
    expect(after.value("parley_sweeps_total", { outcome: "done" })).toBeGreaterThan(0);
  });

  test("runs that wait are counted, with the age of the oldest", async () => {
    const { path } = await create(server(), "slowpoke", false);
    const mentions = [{ configurationId: "slowpoke" }];
    for (let message = 0; message < 5; message++) {
      await send(server(), { path: `${path}/messages`, json: { content: "And?", mentions } });
    }
    const turns = { kind: "agent_turn" };
    const scraped = await scrapeUntil(
      server(),
      ({ value }) => (value("parley_runs_waiting", turns) ?? 0) > 0,
    );
    expect(scraped.value("parley_runs_oldest_waiting_seconds", turns)).toBeGreaterThan(0);
    expect(scraped.value("parley_runs_waiting", { kind: "invocation" })).toBe(0);
  });

  test("the process, its database and its bus are measured too", async () => {
    const { value } = await scrape(server());
    expect(value("parley_bus_connected")).toBe(1);
    expect(value("parley_message_index_lag_seconds")).toBeLessThan(60);
    expect(value("parley_event_loop_delay_seconds")).toBeGreaterThanOrEqual(0);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(0);
    expect(value("parley_database_connections", { state: "idle" })).toBeGreaterThan(0);
  });

  test("the port answers nothing but GET /metrics and /readyz, and the API's port does not have it", async () => {
    const url = metricsUrl(server());
    expect((await fetch(url)).headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(405);
    for (const path of ["/", "/metrics/", "/livez", "/api/v1/w/x/skills", "/rpc/audit.list"]) {
      expect((await fetch(new URL(path, url))).status, path).toBe(404);
    }
    expect((await send(server(), { path: "/metrics" })).status).toBe(404);
  });
});
