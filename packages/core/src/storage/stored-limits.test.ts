import { budgets, files } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { announceTestFile } from "../../testing/files.ts";
import { createTestConversation, insertTestLimit } from "../../testing/testing.ts";
import { deleteFile } from "../files/files.ts";
import { readWorkspaceUsage } from "../workspaces/workspace-usage.ts";
import { reservingStorage } from "./reserve-storage.ts";

const LIMIT = 10 ** 6;

describe("limits of stored bytes", () => {
  const test = workspaceTest({ per: "test", parts: { workspaceBytes: LIMIT } });
  beforeEach(() => test.core.database.db.delete(budgets));
  const workspaceId = () => test.context.caller.workspace.id;
  const limit = async (bytes: number, given: Partial<typeof budgets.$inferInsert> = {}) => {
    const { workspaceId: id = workspaceId(), ...more } = given;
    const of = { measure: "stored_bytes", period: "all", limit: BigInt(bytes) } as const;
    await insertTestLimit(test.core, id, { ...of, ...more });
  };
  const store = async (bytes: number) => reservingStorage(test.context, bytes, async () => {});
  const announce = async (fileSize: number, by = test.context) =>
    announceTestFile(by, { fileSize });
  const uploads = async () =>
    test.core.database.db.$count(files, eq(files.workspaceId, workspaceId()));

  it("of a workspace count if they are smaller than the server's", async () => {
    await limit(2 * LIMIT);
    await limit(5000);
    await limit(4000, { workspaceId: null });
    await limit(1000, { isHard: false });
    await limit(1000, { workspaceId: 1_000_000_000 });
    await limit(1000, { scope: "user" });
    await store(3000);
    await expect(store(1001)).rejects.toMatchObject({
      type: "budget_exceeded",
      message: expect.stringContaining("stores 3000 of at most 4000 bytes"),
    });
    await store(1000);
    const usage = await readWorkspaceUsage(test.context, { wId: test.workspaceId });
    expect(usage.storedBytesLimit).toBe(4000);
  });

  it("of a workspace count from the next write on once they are set", async () => {
    await store(3000);
    await test.core.storage.flush();
    await limit(3500);
    await store(100);
    await test.core.storage.flush();
    await expect(store(401)).rejects.toMatchObject({ type: "budget_exceeded" });
    await store(400);
  });

  it("of a user hold to the byte for many uploads at once, and are theirs again once deleted", async () => {
    await limit(1000, { scope: "user" });
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => announce(150)));
    const announced = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(announced).toHaveLength(6);
    expect(await uploads()).toBe(6);
    expect(asked.find(({ status }) => status === "rejected")).toMatchObject({
      reason: {
        type: "budget_exceeded",
        message: expect.stringContaining("The limit of stored bytes of this user is used up"),
      },
    });
    await announce(100);
    await expect(announce(1)).rejects.toMatchObject({ type: "budget_exceeded" });
    await deleteFile(test.context, { fileId: announced[0]!.sId });
    await announce(150);
    // What was refused has its bytes back.
    await test.core.storage.flush();
    const usage = await readWorkspaceUsage(test.context, { wId: test.workspaceId });
    expect(usage.storedBytes).toBe(1000);
  });

  it("of one user are not those of another one, nor of texts in conversations", async () => {
    const { sid } = test.context.caller.user;
    await limit(10, { scope: "user", subject: `not ${sid}` });
    await announce(100);
    await limit(100, { scope: "user", subject: sid });
    await createTestConversation(test.context, []);
    await expect(announce(1)).rejects.toMatchObject({ type: "budget_exceeded" });
  });
});
