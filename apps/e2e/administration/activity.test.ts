import { createRpcClient } from "parley-client";
import type { CreatedConversation, Overview, RunPage } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { expectError, open, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// What a team sees of its workspace: the runs, and what happens over time.

describe("activity", () => {
  const server = shareServer();
  const { operator } = createCalls(server);
  const create = async () => {
    const { workspace, adminKey } = await operator().workspaces.create.mutate({ name: "Busy" });
    const wId = workspace.sId;
    const rpc = createRpcClient({ url: server().url, apiKey: adminKey });
    const add = { wId, slug: "add", description: "" };
    await rpc.sandboxFunctions.create.mutate(add);
    const path = `/api/v1/w/${wId}/assistant/conversations`;
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name: "a",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ text: "Done" }] },
    });
    const ask = async () => {
      const message = { content: "x", mentions: mentionOf(agentConfiguration.sId) };
      const answer = await send(server(), {
        path,
        key: adminKey,
        json: { message, blocking: true },
      });
      return (JSON.parse(answer.text) as CreatedConversation).conversation;
    };
    const get = async <Body>(rest: string, key = adminKey): Promise<Body> => {
      const { status, text } = await send(server(), { path: `/api/admin/${rest}`, key });
      expect(status, text).toBe(200);
      return JSON.parse(text) as Body;
    };
    return { wId, adminKey, rpc, path, agentId: agentConfiguration.sId, ask, get };
  };

  test("is listed with turns and invocations, of which the details can be read", async () => {
    const { wId, adminKey, rpc, agentId, path, ask, get } = await create();
    const { sId: conversationId } = await ask();
    const invocations = `/api/w/${wId}/sandbox-functions/add/invocations`;
    const invoked = await send(server(), {
      path: invocations,
      key: adminKey,
      json: { input: {} },
      headers: { prefer: "wait=10" },
    });
    expect(invoked.status).toBe(201);
    const { runs } = await get<RunPage>(`workspaces/${wId}/runs`);
    expect(runs).toMatchObject([
      { kind: "invocation", status: "succeeded", function: { slug: "add" }, attempts: 1 },
      { kind: "turn", status: "succeeded", agent: { sId: agentId, name: "a" }, conversationId },
    ]);
    for (const run of runs) {
      expect(run.durationMs).toBe(Math.max(0, run.endedAt! - run.startedAt!));
      expect(run.startedAt).toBeGreaterThanOrEqual(run.createdAt - 1000);
    }
    const [invocation, turn] = runs;
    const read = await send(server(), { path: `${invocations}/${invocation!.id}`, key: adminKey });
    expect(read.status).toBe(200);
    const talk = await send(server(), { path: `${path}/${turn!.conversationId}`, key: adminKey });
    expect(talk.text).toContain(`"sId":"${turn!.messageId}"`);
    expect(await operator().runs.list.query({ wId, kind: "turn" })).toMatchObject({ runs: [turn] });
    expect(await rpc.runs.list.query({ wId, status: "errored" })).toMatchObject({ runs: [] });
    const query = { path: `/api/admin/workspaces/${wId}/runs?lastValue=x`, key: adminKey };
    expectError(await send(server(), query), "invalid_request_error", { field: "lastValue" });
  });

  test("is counted as soon as it has happened, with the streams that are open", async () => {
    const { wId, adminKey, path, ask, get } = await create();
    const before = await operator().overview.getServer.query({ window: "day" });
    const { sId } = await ask();
    await ask();
    const events = `${path.replace("/api/", "/api/sse/")}/${sId}/events`;
    const abort = new AbortController();
    await open(server(), { path: events, key: adminKey, signal: abort.signal });
    const overview = await get<Overview>(`workspaces/${wId}/overview`);
    const sum = ({ series }: Overview, name: keyof Overview["series"]) =>
      series[name].reduce((total, value) => total + value, 0);
    expect(overview.times).toHaveLength(60);
    expect(sum(overview, "conversations")).toBe(2);
    expect(sum(overview, "turns")).toBe(2);
    expect(sum(overview, "turnsErrored")).toBe(0);
    expect(overview.now).toMatchObject({ waitingRuns: 0, runningRuns: 0, openStreams: 1 });
    const after = await operator().overview.getServer.query({ window: "day" });
    expect(sum(after, "turns") - sum(before, "turns")).toBeGreaterThanOrEqual(2);
    expect(after.now.openStreams).toBeGreaterThanOrEqual(1);
    abort.abort();
    const openStreams = async () =>
      (await get<Overview>(`workspaces/${wId}/overview?window=day`)).now.openStreams;
    await expect.poll(openStreams, { interval: 20, timeout: 5000 }).toBe(0);
  });

  test("of all workspaces is listed for operators, a page at a time", async () => {
    const busy = [await create(), await create()];
    const ids: string[] = [];
    for (const { ask } of [...busy, ...busy]) ids.unshift((await ask()).sId);
    const found: [conversationId: string | null, wId: string][] = [];
    for (let lastValue: string | null = null, pages = 0; pages < 2; pages++) {
      const place: { lastValue?: string } = lastValue === null ? {} : { lastValue };
      const page = await operator().runs.listServer.query({ kind: "turn", limit: 2, ...place });
      expect(page.hasMore || pages === 1).toBe(true);
      for (const { conversationId, workspace } of page.runs) {
        expect(workspace.name).toBe("Busy");
        found.push([conversationId, workspace.sId]);
      }
      lastValue = page.lastValue;
    }
    const [first, second] = busy.map(({ wId }) => wId);
    expect(found).toEqual([
      [ids[0], second],
      [ids[1], first],
      [ids[2], second],
      [ids[3], first],
    ]);
    expect(await operator().runs.listServer.query({ lastValue: "0" })).toEqual({
      runs: [],
      hasMore: false,
      lastValue: null,
    });
    const path = "/api/admin/runs";
    expect((await send(server(), { path, key: busy[0]!.adminKey })).status).toBe(403);
    const query = { path: `${path}?lastValue=1.1`, key: server().demo.operatorKey };
    expectError(await send(server(), query), "invalid_request_error", { field: "lastValue" });
  });

  test("of the server is for operators", async () => {
    const { adminKey } = await create();
    const refused = await send(server(), { path: "/api/admin/overview", key: adminKey });
    expect(refused.status).toBe(403);
    const wrong = operator().overview.getServer.query({ window: "week" as never });
    await expect(wrong).rejects.toMatchObject({ data: { type: "invalid_request_error" } });
  });
});
