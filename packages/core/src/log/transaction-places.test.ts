import { conversations } from "@parley/db";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "../../testing/testing.ts";

describe("transactions of a workspace that wait for one lock", () => {
  let test: TestCore;
  beforeAll(async () => {
    test = await openTestCore();
  });
  afterAll(() => test.close());

  it("leave connections to those of others", async () => {
    const { core } = test;
    const open = async () => openTestContext(core, await insertTestWorkspace(core));
    const [asking, other] = [await open(), await open()];
    const { conversation } = await createTestConversation(asking, []);
    const theirs = await createTestConversation(other, []);
    const locked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const lock = core.database.slow.transaction(async (db) => {
      await db
        .select()
        .from(conversations)
        .where(eq(conversations.sid, conversation.sId))
        .for("update");
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const ended: string[] = [];
    const posts = Array.from({ length: 2 * core.database.connections }, async () => {
      await postTestMessage(asking, conversation.sId);
      ended.push("asking");
    });
    for (let count = 0; count < 3; count++) {
      await postTestMessage(other, theirs.conversation.sId);
      ended.push("other");
    }
    over.resolve();
    await Promise.all([lock, ...posts]);
    expect(ended.slice(0, 3)).toEqual(["other", "other", "other"]);
    expect(ended).toHaveLength(3 + posts.length);
  });
});
