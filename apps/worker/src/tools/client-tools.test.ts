import {
  answerAsClientServer,
  cancelMessages,
  type Context,
  findClientServerStream,
  followLog,
  keepClientServer,
  registerClientServer,
  sweepClientServers,
  validateAction,
} from "@parley/core";
import {
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestLog,
  type TestCore,
} from "@parley/core/testing";
import type { ClientServerMessage } from "@parley/schema";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker, type Worker } from "../worker.ts";

const tool = {
  name: "find",
  description: "Finds",
  inputSchema: { type: "object", properties: { word: { type: "string" } } },
};
const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "editor", version: "1" },
};
const text = (given: string) => ({ content: [{ type: "text", text: given }] });

type Reply = (message: ClientServerMessage) => object | undefined;

describe("tools in clients", () => {
  let test: TestCore;
  let context: Context;
  const workers: Worker[] = [];
  const stops: AbortController[] = [];
  beforeAll(async () => {
    test = await openTestCore();
    Object.assign(test.core, { now: Date.now });
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace);
    const script = {
      steps: [
        { text: "", toolCalls: [{ name: "editor__find", params: { word: "shoes" } }] },
        { text: "It says: {{result}}" },
      ],
      tokenDelayMs: 0,
    };
    await insertTestAgent(test.core, workspace, { sid: "ann", script });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await Promise.all(workers.splice(0).map((worker) => worker.close(0)));
    await query("delete from client_servers");
  });
  afterAll(() => test.close());

  const query = async <Row>(statement: string): Promise<Row[]> => {
    const found: unknown = await test.core.database.db.execute(statement);
    // The columns are those of the statement.
    return (found as { rows: Row[] }).rows;
  };
  const actionsOf = (mId: string) =>
    query<Record<string, unknown>>(`select * from actions where log_id = '${mId}'`);
  const startWorker = () => {
    const settings = WorkerSettings.parse({ PARLEY_LEASE_MS: 600_000 });
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    workers.push(worker);
    worker.start();
    return worker;
  };

  /** A client that answers what it is asked for, and calls with `onCall`. */
  const connect = async (onCall: Reply = () => text("Found")) => {
    const { serverId } = await registerClientServer(context, { serverName: "editor" });
    const seen: ClientServerMessage[] = [];
    const answer = (id: string, reply: object) =>
      answerAsClientServer(context, { serverId, result: { jsonrpc: "2.0", id, ...reply } });
    const stop = new AbortController();
    stops.push(stop);
    const { logId, hidden } = await findClientServerStream(context, { serverId });
    const serve = async (): Promise<void> => {
      const { signal } = stop;
      for await (const events of followLog(test.core, { logId, after: 0, signal })) {
        for (const { payload } of events.filter(({ type }) => !hidden.has(type))) {
          const message = JSON.parse(payload) as ClientServerMessage;
          seen.push(message);
          const { id, method } = message;
          if (id === undefined) continue;
          if (method === "initialize") await answer(id, { result: initialized });
          if (method === "tools/list") await answer(id, { result: { tools: [tool] } });
          const result = method === "tools/call" ? onCall(message) : undefined;
          if (result !== undefined) await answer(id, { result });
        }
      }
    };
    void serve();
    const callsOf = () => seen.filter(({ method }) => method === "tools/call");
    return { serverId, seen, answer, callsOf, stop: () => stop.abort() };
  };

  const ask = async (ids: readonly string[], further: object = { skipToolsValidation: true }) => {
    const message = {
      content: "Find",
      mentions: [{ configurationId: "ann" }],
      context: { username: "ada", timezone: "UTC", clientSideMCPServerIds: [...ids] },
    };
    const created = await createTestConversation(context, [], { message, ...further });
    const cId = created.conversation.sId;
    return { created, cId, mId: created.conversation.content.at(-1)![0]!.sId };
  };
  const endOf = async (mId: string) => {
    const read = async () => (await readTestLog(test.core, mId)).at(-1);
    return expect
      .poll(read)
      .toMatchObject({ type: "agent_message_success" })
      .then(async () => (await read()) as { message: { content: string } });
  };

  it("are asked for, called once, and answer the model", async () => {
    startWorker();
    const client = await connect();
    const { created, mId } = await ask([client.serverId, "cms_unknown"]);
    expect(created.warnings).toMatchObject([{ path: "message.context.clientSideMCPServerIds[1]" }]);
    expect((await endOf(mId)).message.content).toBe("It says: Found");
    expect(client.seen.map(({ method }) => method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      "tools/call",
    ]);
    const traceparent: unknown = expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const sent = { name: "find", arguments: { word: "shoes" }, _meta: { traceparent } };
    expect(client.callsOf()[0]!.params).toMatchObject(sent);
  });

  it("wait for approval, and are approved permanently as long as they are registered", async () => {
    startWorker();
    const client = await connect();
    const { cId, mId } = await ask([client.serverId], {});
    await expect.poll(async () => (await actionsOf(mId)).length).toBe(1);
    const [action] = await actionsOf(mId);
    expect(action).toMatchObject({
      status: "blocked_validation_required",
      stake: "low",
      mcp_server_id: client.serverId,
    });
    const { sid: actionId } = action as { sid: string };
    await validateAction(context, { cId, mId, actionId, approved: "always_approved" });
    expect((await endOf(mId)).message.content).toBe("It says: Found");
    const { mId: next } = await ask([client.serverId], {});
    expect((await endOf(next)).message.content).toBe("It says: Found");
    expect(client.callsOf()).toHaveLength(2);
  });

  it("are sent once although the worker that waits dies", async () => {
    startWorker();
    const client = await connect(() => undefined);
    const { mId } = await ask([client.serverId]);
    await expect.poll(() => client.callsOf().length).toBe(1);
    startWorker();
    await expireTestLeases(test.core);
    await expect
      .poll(async () => {
        const [row] = await query<{ most: number }>("select max(attempt) as most from runs");
        return row?.most;
      })
      .toBe(2);
    await client.answer(client.callsOf()[0]!.id!, { result: text("Late") });
    expect((await endOf(mId)).message.content).toBe("It says: Late");
    expect(client.callsOf()).toHaveLength(1);
  });

  it("report how far they are", async () => {
    startWorker();
    const client = await connect(() => undefined);
    const { mId } = await ask([client.serverId]);
    await expect.poll(() => client.callsOf().length).toBe(1);
    const id = client.callsOf()[0]!.id!;
    const report = (progressToken: string) => {
      const params = { progressToken, progress: 1, total: 2, message: "Half" };
      const result = { jsonrpc: "2.0", method: "notifications/progress", params };
      return answerAsClientServer(context, { serverId: client.serverId, result });
    };
    await report("of nothing");
    await report(id);
    const seen = () => query<{ type: string }>(`select type from events where log_id = '${id}'`);
    await expect
      .poll(async () => (await seen()).map(({ type }) => type))
      .toContain("sandbox_function_invocation_progress");
    await client.answer(id, { result: text("Done") });
    expect((await endOf(mId)).message.content).toBe("It says: Done");
  });

  it("are cancelled with their answer", async () => {
    startWorker();
    const client = await connect(() => undefined);
    const { cId, mId } = await ask([client.serverId]);
    await expect.poll(() => client.callsOf().length).toBe(1);
    const { id } = client.callsOf()[0]!;
    await cancelMessages(context, { cId, messageIds: [mId] });
    await expect
      .poll(() => client.seen.at(-1))
      .toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    await client.answer(id!, { result: text("Too late") });
    const [action] = await actionsOf(mId);
    expect(action).toMatchObject({ status: "errored" });
  });

  it("fail if their client is gone, does not answer in time, or answers nonsense", async () => {
    startWorker();
    const client = await connect(() => undefined);
    const gone = await ask([client.serverId]);
    await expect.poll(() => client.callsOf().length).toBe(1);
    await query("update client_servers set expires_at = 0");
    await sweepClientServers(test.core);
    expect((await endOf(gone.mId)).message.content).toMatch(/client with this tool is gone/);

    const other = await connect(() => ({ content: [{ type: "text", text: 7 }] }));
    const nonsense = await ask([other.serverId]);
    expect((await endOf(nonsense.mId)).message.content).toMatch(/not a tool result/);

    const failing = await connect(() => undefined);
    const { mId } = await ask([failing.serverId]);
    await expect.poll(() => failing.callsOf().length).toBe(1);
    const error = { code: -32_603, message: "Out of shoes" };
    await failing.answer(failing.callsOf()[0]!.id!, { error });
    expect((await endOf(mId)).message.content).toMatch(/The client answered: Out of shoes/);
  });

  it("tell the client of a call that has no answer in time", async () => {
    const workspace = await insertTestWorkspace(test.core);
    const before = context;
    context = await openTestContext(test.core, workspace);
    try {
      const script = {
        steps: [{ text: "", toolCalls: [{ name: "editor__find", params: {} }] }],
        tokenDelayMs: 0,
      };
      await insertTestAgent(test.core, workspace, { sid: "ann", script });
      startWorker();
      const client = await connect(() => undefined);
      await query("update sandbox_function_versions set timeout_ms = 3000");
      const { mId } = await ask([client.serverId]);
      await expect
        .poll(() => client.seen.at(-1), { timeout: 5000 })
        .toMatchObject({ method: "notifications/cancelled" });
      await expect
        .poll(async () => JSON.stringify(await readTestLog(test.core, mId)))
        .toContain("did not answer in time");
    } finally {
      context = before;
    }
  });

  it("are nobody's but their user's, and their answers count once", async () => {
    const client = await connect(() => undefined);
    const stranger = await openTestContext(test.core, context.caller.workspace, "admin");
    const { serverId } = client;
    const calls = [
      () => keepClientServer(stranger, { serverId }),
      () => findClientServerStream(stranger, { serverId }),
      () =>
        answerAsClientServer(stranger, {
          serverId,
          result: { jsonrpc: "2.0", id: "1", result: {} },
        }),
      () => keepClientServer(context, { serverId: "cms_unknown" }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ type: "mcp_server_not_found" });
    }
    for (const result of [7, {}, [], { jsonrpc: "1.0", id: 1, result: {} }, undefined]) {
      await expect(answerAsClientServer(context, { serverId, result })).rejects.toMatchObject({
        type: "invalid_request_error",
      });
    }
    await client.answer("nothing", { result: {} });
    startWorker();
    const { mId } = await ask([serverId]);
    await expect.poll(() => client.callsOf().length).toBe(1);
    const { id } = client.callsOf()[0]!;
    const other = await connect();
    await other.answer(id!, { result: text("Of another server") });
    await client.answer(id!, { result: text("First") });
    await client.answer(id!, { result: text("Second") });
    expect((await endOf(mId)).message.content).toBe("It says: First");
  });
});
