import { randomBytes } from "node:crypto";
import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { expectError, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls, mentionOf } from "../siblings/calls.ts";

// One key cannot fill the disk: everything that a workspace stores counts against one limit.

const LIMIT = 8 * 2 ** 20;

describe("what a workspace stores", () => {
  const server = shareServer({
    PARLEY_WORKSPACE_BYTES: String(LIMIT),
    PARLEY_RATE_INVOKE_PER_MINUTE: "0",
    PARLEY_RATE_CREATE_PER_MINUTE: "0",
    PARLEY_RATE_CREATE_PER_HOUR: "0",
  });
  const { operator } = createCalls(server);
  const create = async (name: string) => {
    const { workspace, adminKey: key } = await operator().workspaces.create.mutate({ name });
    const wId = workspace.sId;
    const rpc = createRpcClient({ url: server().url, apiKey: key });
    await rpc.sandboxFunctions.create.mutate({
      wId,
      slug: "give",
      description: "",
      program: { type: "simulated", behaviour: { steps: [], result: "1" } },
    });
    const root = `/api/v1/w/${wId}`;
    const call = (path: string, json?: unknown, method = json === undefined ? "GET" : "POST") =>
      send(server(), { path: `${root}/${path}`, key, method, json });
    // Bytes that PostgreSQL cannot compress.
    const invoke = async () => {
      const input = { text: randomBytes(700_000).toString("base64") };
      const path = `/api/w/${wId}/sandbox-functions/give/invocations`;
      return send(server(), { path, key, json: { input } });
    };
    const talk = (content: string, agents: string[] = []) =>
      call("assistant/conversations", { message: { content, mentions: mentionOf(...agents) } });
    const usage = () => rpc.workspaces.usage.query({ wId });
    return { wId, rpc, call, invoke, talk, usage };
  };
  const until = async <T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> => {
    const endsAt = performance.now() + 120_000;
    for (;;) {
      const value = await read();
      if (isRight(value)) return value;
      if (performance.now() > endsAt) throw new Error(`Still ${JSON.stringify(value)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test("is refused past its limit, for it alone, until something is deleted", async () => {
    const full = await create("Full");
    const other = await create("Other");
    const talks = [];
    for (let count = 0; count < 3; count++) {
      talks.push(await full.talk(randomBytes(360_000).toString("base64")));
    }
    let accepted = 0;
    const refused = await until(full.invoke, ({ status }) => {
      if (status === 201) accepted++;
      return status === 429;
    });
    expectError(refused, "budget_exceeded", { status: 429 });
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(refused.text).toMatch(
      /The workspace stores \d+ of at most 8388608 bytes, and this needs 9\d{5} more: delete conversations, files or documents, or ask the operator of the server/,
    );
    // A message's text is stored with its event once more.
    const untold = await full.talk("x".repeat(720_000));
    expectError(untold, "budget_exceeded", { status: 429 });
    expect(untold.text).toMatch(/and this needs 144\d{4} more/);
    expect((await other.invoke()).status).toBe(201);
    // What is counted is what was written, once nothing is written any more.
    // A message is stored twice, as its row and as its event; no other copy is left.
    const written = accepted * 933_336 + 2 * talks.length * 480_000;
    const isExact = (stored: number) => stored > written && stored < 1.02 * written;
    const counted = await until(full.usage, ({ storedBytes }) => isExact(storedBytes));
    expect(counted.storedBytesLimit).toBe(LIMIT);
    const fileSize = LIMIT;
    const announced = {
      contentType: "text/plain",
      fileName: "a",
      fileSize,
      useCase: "conversation",
    };
    expectError(await full.call("files", announced), "budget_exceeded");

    for (const { text } of talks) {
      const { conversation } = JSON.parse(text) as { conversation: { sId: string } };
      const path = `assistant/conversations/${conversation.sId}`;
      expect((await full.call(path, undefined, "DELETE")).status).toBe(200);
    }
    await until(full.invoke, ({ status }) => status === 201);
  });

  test("does not end a turn that runs, nor what ends and deletes", async () => {
    const { wId, rpc, call, invoke, talk } = await create("Running");
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId,
      name: "slow",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ text: "one two three four five six" }], tokenDelayMs: 500 },
    });
    const asked = await talk("Hello", [agentConfiguration.sId]);
    const { conversation } = JSON.parse(asked.text) as {
      conversation: { sId: string; content: { sId: string }[][] };
    };
    await until(invoke, ({ status }) => status === 429);
    const path = `assistant/conversations/${conversation.sId}`;
    const posted = { content: "x".repeat(960_000), mentions: [] };
    expectError(await call(`${path}/messages`, posted), "budget_exceeded");
    const read = async () => (await call(path)).text;
    const ended = await until(read, (text) => !text.includes('"status":"created"'));
    expect(ended).toContain('"status":"succeeded"');
    expect((await call(path, { read: true }, "PATCH")).status).toBe(200);
    expect((await call(`${path}/cancel`, { messageIds: [] })).status).toBe(200);
    expect((await call(path, undefined, "DELETE")).status).toBe(200);
  });
});
