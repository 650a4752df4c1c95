import { conversations } from "@parley/db";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import {
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { inTransaction } from "./transaction.ts";

describe("transactions of a workspace that wait for one lock", () => {
  const test = coreTest();

  const open = async () => openTestContext(test.core, await insertTestWorkspace(test.core));

  it("leave connections to those of others", async () => {
    const { core } = test;
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

  it("leave connections to queries outside of transactions, with those of others", async () => {
    const { core } = test;
    const over = Promise.withResolvers<void>();
    let held = 0;
    const hold = (context: CoreContext) =>
      Array.from({ length: core.database.connections }, async () =>
        inTransaction(context, async () => {
          held++;
          await over.promise;
        }),
      );
    const contexts = [await open(), await open()];
    const holding = contexts.flatMap(hold);
    await vi.waitUntil(() => held >= core.database.connections / 2);
    const found = await core.database.db
      .select()
      .from(conversations)
      .limit(1)
      .finally(() => over.resolve());
    expect(found).toHaveLength(1);
    await Promise.all(holding);
  });
});
