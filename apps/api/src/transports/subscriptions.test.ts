import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  appendEvents,
  generateApiKey,
  insertApiKey,
  inTransaction,
  revokeApiKey,
  type WorkspaceRow,
} from "@parley/core";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
  testEnd,
  testToken,
} from "@parley/core/testing";
import type { LogEvent } from "@parley/schema";
import type { FastifyBaseLogger } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiSettings } from "../config.ts";
import { type Api, createApi } from "../server.ts";

const silent = () => {};
const logger = Object.assign(
  { level: "silent", child: () => logger },
  ...["fatal", "error", "warn", "info", "debug", "trace", "silent"].map((level) => ({
    [level]: silent,
  })),
) as FastifyBaseLogger;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that the process holds on to. */
async function heldBytes(): Promise<number> {
  // What is outside of the heap is let go of by finalizers, which run between two turns.
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("subscriptions", () => {
  let test: TestCore;
  let workspace: WorkspaceRow;
  beforeAll(async () => {
    test = await openTestCore();
    workspace = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, workspace, { sid: "agent" });
  });
  afterAll(() => test.close());

  async function listen(changed: Partial<ApiSettings> = {}): Promise<Api> {
    const settings = ApiSettings.parse({ PARLEY_PORT: 0, ...changed });
    const api = await createApi({ core: test.core, settings, logger });
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    return api;
  }

  async function createKey() {
    const secret = generateApiKey();
    const key = { workspaceId: workspace.id, name: "test", role: "builder", secret } as const;
    return { secret, row: await insertApiKey(test.core, test.core.database.db, key) };
  }

  /** A message whose events only the test appends. */
  async function createMessage() {
    const context = await openTestContext(test.core, workspace);
    const { conversation } = await createTestConversation(context, ["agent"]);
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    return { wId: workspace.sid, cId: conversation.sId, mId };
  }

  const append = (logId: string, ...events: LogEvent[]) =>
    inTransaction(test.core, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events }], afterCommit);
    });

  /** Opens a subscription on a connection of its own; nothing is read from it yet. */
  async function subscribe(api: Api, secret: string, input: object): Promise<IncomingMessage> {
    const { port } = api.app.server.address() as AddressInfo;
    const query = encodeURIComponent(JSON.stringify({ json: input }));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    http
      .get(
        {
          port,
          path: `/rpc/messages.events?input=${query}`,
          headers: { authorization: `Bearer ${secret}` },
          agent: false,
        },
        resolve,
      )
      .on("error", reject);
    return promise;
  }

  async function readText(response: IncomingMessage): Promise<string> {
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
    return text;
  }
  const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

  it("buffers no more than its bound for readers that stall, and gives them all later", async () => {
    const api = await listen();
    const message = await createMessage();
    const { secret } = await createKey();
    const stalled = await Promise.all(
      Array.from({ length: 5 }, () => subscribe(api, secret, message)),
    );
    const before = await heldBytes();
    const chunk = "x".repeat(64 * 1024);
    for (let count = 0; count < 320; count++) await append(message.mId, testToken(chunk));
    // Five copies of 20 MB would be 100.
    expect((await heldBytes()) - before).toBeLessThan(40e6);
    await append(message.mId, testEnd);
    for (const response of stalled) {
      const text = await readText(response);
      expect(idsIn(text)).toEqual(Array.from({ length: 321 }, (_, index) => index + 1));
      expect(text).toMatch(/\nevent: return\ndata: \n\n\n$/);
    }
    await api.close(1000);
  });

  it("ends those that stall when their key is revoked or the server stops", async () => {
    const api = await listen();
    const message = await createMessage();
    const { secret, row } = await createKey();
    const revoked = await subscribe(api, secret, message);
    const cut = await subscribe(api, (await createKey()).secret, message);
    const chunk = "x".repeat(1024 * 1024);
    for (let count = 0; count < 24; count++) await append(message.mId, testToken(chunk));
    const admin = await openTestContext(test.core, workspace, "admin");
    await revokeApiKey(admin, { wId: workspace.sid, keyId: row.sid });
    const text = await readText(revoked);
    expect(text).toMatch(/\nevent: serialized-error\ndata: .*"type":"invalid_api_key_error"/);
    expect(idsIn(text).length).toBeLessThan(24);
    const closed = api.close(1000);
    const rest = await readText(cut);
    expect(rest).not.toContain("event: return");
    expect(rest).not.toContain("event: serialized-error");
    await closed;
  });

  it("cuts off who takes nothing for too long, and not who has nothing to take", async () => {
    const api = await listen({ PARLEY_STREAM_STALL_MS: 200 });
    const [long, quiet] = [await createMessage(), await createMessage()];
    const { secret } = await createKey();
    const stalled = await subscribe(api, secret, long);
    const waiting = readText(await subscribe(api, secret, quiet));
    await expect.poll(() => test.core.hub.count().followers).toBe(2);
    const startedAt = performance.now();
    for (let count = 0; count < 4; count++) await append(long.mId, testToken("x".repeat(4e6)));
    await expect.poll(() => test.core.hub.count().followers, { interval: 20 }).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(200);
    await append(quiet.mId, testEnd);
    expect(idsIn(await waiting)).toEqual([1]);
    await expect(readText(stalled)).rejects.toThrow("aborted");
    await api.close(1000);
  });
});
