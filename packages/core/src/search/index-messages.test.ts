import { messageIndex, messages, messageWords } from "@parley/db";
import { asc, sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { answerTestTurns, createTestConversation } from "../../testing/testing.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { indexMessages } from "./index-messages.ts";

describe("the index of messages", () => {
  const test = workspaceTest({ agents: ["ann"] });
  const db = () => test.core.database.db;
  beforeEach(async () => {
    await db().delete(messageIndex);
    await indexMessages(test.core);
  });

  const say = async (content: string, agentIds: readonly string[] = []) => {
    const mentions = agentIds.map((configurationId) => ({ configurationId }));
    const message = { content, mentions };
    return (await createTestConversation(test.context, agentIds, { message })).conversation;
  };
  /** The numbers of rows with and without words. */
  const rows = async () => {
    const found = await db().select().from(messageWords).orderBy(asc(messageWords.messageId));
    const waiting = found.filter(({ words }) => words === null);
    return { indexed: found.length - waiting.length, waiting: waiting.length };
  };
  const insertCopy = async (change: Partial<typeof messages.$inferInsert>) => {
    const [row] = await db().select().from(messages).limit(1);
    return { ...row!, version: 50, ...change };
  };

  it("indexes each message once, and an answer when it has ended", async () => {
    await say("Hello", ["ann"]);
    expect(await indexMessages(test.core)).toEqual({ indexed: 2, isAll: true, lagMs: 0 });
    expect(await rows()).toEqual({ indexed: 1, waiting: 1 });
    await answerTestTurns(test.core);
    expect(await indexMessages(test.core)).toMatchObject({ indexed: 1, isAll: true });
    expect(await indexMessages(test.core)).toMatchObject({ indexed: 0, isAll: true });
    expect(await rows()).toEqual({ indexed: 2, waiting: 0 });
  });

  it("misses no message that commits after younger ones were indexed", async () => {
    const unwrittenMs = 0;
    await say("first");
    const late = await insertCopy({ sid: "late", createdAt: test.clock.now + 1 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const writing = test.core.database.transaction(async (transaction) => {
      // The transaction is as old as its message by the clock of the database too.
      test.clock.now += 1;
      await transaction.insert(messages).values(late);
      await transaction.execute(sql`select pg_sleep(0.03)`);
      test.clock.now += 30;
      written.resolve();
      await promise;
    });
    await written.promise;
    await say("younger");
    await indexMessages(test.core, { unwrittenMs });
    await indexMessages(test.core, { unwrittenMs });
    expect(await rows()).toEqual({ indexed: 2, waiting: 0 });
    resolve();
    await writing;
    await indexMessages(test.core, { unwrittenMs });
    expect(await rows()).toEqual({ indexed: 3, waiting: 0 });
    // Now it has passed them.
    const [state] = await db().select().from(messageIndex);
    expect(state?.position).toBeGreaterThan(test.clock.now - 30);
  });

  it("indexes what is older than its first run, in batches", async () => {
    await say("one");
    const copies = Array.from({ length: 4200 }, (_, copy) => copy);
    const [row] = await db().select().from(messages);
    const values = copies.map((copy) => ({
      ...row!,
      sid: `old${copy}`,
      createdAt: copy,
      version: copy + 1,
    }));
    for (let from = 0; from < values.length; from += 1000) {
      await db()
        .insert(messages)
        .values(values.slice(from, from + 1000));
    }
    await db().delete(messageIndex);
    const first = await indexMessages(test.core);
    expect(first).toMatchObject({ isAll: false });
    expect(first.indexed).toBeLessThanOrEqual(2001);
    while (!(await indexMessages(test.core)).isAll);
    expect(await rows()).toEqual({ indexed: 4201, waiting: 0 });
  });

  it("takes no more large texts at once than it may, but each in the end", async () => {
    await say("one");
    for (let number = 0; number < 40; number++) {
      const content = `${number} ${"wörd ".repeat(40_000)}`;
      const large = await insertCopy({ sid: `large${number}`, content, version: number + 1 });
      await db().insert(messages).values(large);
    }
    const { indexed, isAll } = await indexMessages(test.core);
    expect(isAll).toBe(false);
    expect(indexed).toBeLessThan(20);
    while (!(await indexMessages(test.core)).isAll);
    expect(await rows()).toEqual({ indexed: 41, waiting: 0 });
  });

  it("is one run at a time over all processes, and a run that ends early leaves no trace", async () => {
    await say("one");
    const { promise, resolve } = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = test.core.database
      .transaction(async (transaction) => {
        await transaction.select().from(messageIndex).for("update");
        await transaction.execute(sql`
          insert into message_words (message_id, workspace_id, conversation_id, created_at)
          select sid, workspace_id, conversation_id, created_at from messages`);
        locked.resolve();
        await promise;
        throw new Error("killed");
      })
      .catch(() => {});
    await locked.promise;
    expect(await indexMessages(test.core)).toEqual({ indexed: 0, isAll: true });
    resolve();
    await holding;
    expect(await indexMessages(test.core)).toMatchObject({ indexed: 1 });
    expect(await rows()).toEqual({ indexed: 1, waiting: 0 });
  });

  it("leaves no words of a conversation that is deleted while it is indexed", async () => {
    const { sId } = await say("secret", ["ann"]);
    // A run that has read the messages and not committed.
    const { promise, resolve } = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const { slow } = test.core.database;
    const transaction: typeof slow.transaction = async (work) =>
      slow.transaction(async (queryable) => {
        const result = await work(queryable);
        read.resolve();
        await promise;
        return result;
      });
    const database = { ...test.core.database, slow: { ...slow, transaction } };
    const held = Object.assign(Object.create(test.core) as typeof test.core, { database });
    const indexing = indexMessages(held);
    await read.promise;
    const deleting = deleteConversation(test.context, { cId: sId });
    // The deletion waits for the run.
    const waiting = sql<number>`(select count(*)::int from pg_locks where locktype = 'advisory' and not granted)`;
    for (;;) {
      const [found] = await db()
        .select({ count: waiting })
        .from(sql`(select) one`);
      if (found!.count > 0) break;
    }
    resolve();
    expect(await indexing).toMatchObject({ indexed: 2 });
    await deleting;
    await indexMessages(test.core);
    expect(await rows()).toEqual({ indexed: 0, waiting: 0 });
  });
});
