import { randomBytes } from "node:crypto";
import {
  conversations,
  invocations,
  webhookDeliveries,
  webhooks,
  workspaceStorage,
} from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import {
  clearRuns,
  createTestConversation,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { createInvocationSweep } from "../invocations/sweep-invocations.ts";
import { saveFileText } from "../files/file-texts.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { countStorage } from "./count-storage.ts";
import { createWebhook } from "../webhooks/webhooks.ts";
import { createSecretBox } from "../workspaces/secret-box.ts";
import { reservingStorage } from "./reserve-storage.ts";

const LIMIT = 10 ** 6;
const secretBox = createSecretBox([new Uint8Array(32)]);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("what a workspace stores", () => {
  const test = coreTest({ workspaceBytes: LIMIT, secretBox });
  let context: CoreContext;
  let id: number;
  beforeEach(async () => {
    await clearRuns(test.core);
    await db().delete(workspaceStorage);
    const workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "admin");
    await insertTestFunction(test.core, workspace, { slug: "add" });
    ({ id } = workspace);
  });

  const db = () => test.core.database.db;
  const read = async () => {
    const [row] = await db()
      .select()
      .from(workspaceStorage)
      .where(eq(workspaceStorage.workspaceId, id));
    return row!;
  };
  const count = () => countStorage(test.core, { limitBytes: LIMIT, pause: async () => {} });
  const countAll = async () => {
    test.clock.now += 7 * HOUR_MS;
    while ((await count()) > 0);
    return (await read()).countedBytes;
  };
  const store = (bytes: number) => reservingStorage(context, bytes, async () => {});
  const invoke = async (bytes: number) =>
    invokeSandboxFunction(context, {
      functionId: "add",
      input: { text: randomBytes(bytes / 2).toString("hex") },
    });

  it("is added up by all processes, and refused from its limit on", async () => {
    await store(600_000);
    await test.core.storage.flush();
    // Another process.
    await db().execute(
      sql`update workspace_storage set added_bytes = added_bytes + 300000 where workspace_id = ${id}`,
    );
    await store(1000);
    await test.core.storage.flush();
    await expect(store(200_000)).rejects.toMatchObject({
      type: "budget_exceeded",
      message: expect.stringContaining("stores 901000 of at most 1000000 bytes"),
    });
    await store(99_000);
    await test.core.storage.flush();
    expect(await read()).toMatchObject({ addedBytes: 10 ** 6, refusedAt: test.clock.now });
  });

  it("is given back if nothing was stored, and costs no statement", async () => {
    await store(1);
    await test.core.storage.flush();
    const fails = reservingStorage(context, 1000, async () => Promise.reject(new Error("No")));
    await expect(fails).rejects.toThrow("No");
    await test.core.storage.flush();
    expect((await read()).addedBytes).toBe(1);
  });

  it("is counted from its rows, whatever processes have said", async () => {
    await store(1);
    await test.core.storage.flush();
    const empty = await countAll();
    await createTestConversation(context, []);
    for (let index = 0; index < 3; index++) await invoke(100_000);
    const stored = await countAll();
    expect(stored - empty).toBeGreaterThan(150_000);
    // A process has died before it said something, or has said it twice.
    for (const drift of [-100_000, 700_000, 10 ** 12]) {
      await db().update(workspaceStorage).set({ countedBytes: drift, addedBytes: drift });
      expect(await countAll()).toBe(stored);
      expect((await read()).addedBytes).toBe(0);
    }
    await db().delete(invocations);
    expect(await countAll()).toBeLessThan(stored - 150_000);
  });

  it("has the deliveries of webhooks too, more of them than a page", async () => {
    await store(1);
    await test.core.storage.flush();
    const settings = { url: "https://x.example", events: ["message.failed"] };
    const input = { wId: context.caller.workspace.sid, ...settings };
    const { webhook } = await createWebhook(
      context,
      parseInput(endpoints["webhooks.create"], input),
    );
    const before = await countAll();
    const [{ id: webhookId } = { id: 0 }] = await db()
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(eq(webhooks.sid, webhook.sId));
    const row = { workspaceId: id, webhookId, event: "message.failed", subject: {}, createdAt: 0 };
    await db()
      .insert(webhookDeliveries)
      .values(
        Array.from({ length: 1500 }, () => ({
          ...row,
          sid: test.core.newId("whd"),
          status: "failed" as const,
          responseBody: "x".repeat(100),
        })),
      );
    expect(await countAll()).toBeGreaterThan(before + 1500 * 300);
  });

  it("has the texts of documents too", async () => {
    await store(1);
    await test.core.storage.flush();
    const before = await countAll();
    const key = { workspaceId: id, sha256: "x", extractor: "pdf-1" };
    const text = randomBytes(50_000).toString("hex");
    await saveFileText(test.core, key, { text, failure: null, pages: null });
    await test.core.storage.flush();
    expect((await read()).addedBytes).toBe(text.length);
    expect(await countAll()).toBeGreaterThan(before + 50_000);
  });

  it("keeps what was added while it was counted", async () => {
    await store(50);
    await test.core.storage.flush();
    const pause = async () => {
      await store(7);
      await test.core.storage.flush();
    };
    test.clock.now += 7 * HOUR_MS;
    expect(await countStorage(test.core, { limitBytes: LIMIT, pause })).toBe(1);
    const { addedBytes } = await read();
    expect(addedBytes).toBeGreaterThan(0);
    expect(addedBytes % 7).toBe(0);
    // It was changed too late to be sure of: it is counted again, and then rests.
    test.clock.now += 300_000;
    expect([await count(), await count()]).toEqual([1, 0]);
    test.clock.now += HOUR_MS;
    expect(await count()).toBe(0);
  });

  it("is counted at once after a refusal, and by one worker alone", async () => {
    await store(1);
    await test.core.storage.flush();
    await countAll();
    await expect(store(LIMIT)).rejects.toMatchObject({ type: "budget_exceeded" });
    await test.core.storage.flush();
    expect(await count()).toBe(0);
    test.clock.now += 60_000;
    await expect(store(LIMIT)).rejects.toMatchObject({ type: "budget_exceeded" });
    await test.core.storage.flush();
    const counts = await Promise.all([count(), count()]);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
    expect(await count()).toBe(0);
  });

  it("shrinks with what is deleted, and with the retention of invocations", async () => {
    const { conversation } = await createTestConversation(context, []);
    await invoke(100_000);
    await store(1);
    await test.core.storage.flush();
    const before = await countAll();
    await deleteConversation(context, { cId: conversation.sId });
    expect(await db().$count(conversations)).toBe(0);
    expect(await countAll()).toBeLessThan(before);
    // An invocation that has not ended stays.
    const sweep = createInvocationSweep(test.core, { retentionMs: 30 * DAY_MS });
    test.clock.now += 31 * DAY_MS;
    expect(await sweep()).toBe(0);
    await db().update(invocations).set({ status: "succeeded", finishedAt: test.clock.now });
    expect(await sweep()).toBe(0);
    test.clock.now += 30 * DAY_MS + 1;
    await invoke(1000);
    expect([await sweep(), await sweep()]).toEqual([1, 0]);
    expect(await db().$count(invocations)).toBe(1);
    expect(await countAll()).toBeLessThan(before - 50_000);
  });
});
