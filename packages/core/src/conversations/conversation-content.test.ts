import { actions, messages } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { answerTestTurns, createTestConversation, insertTestAgent } from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { getConversation } from "./conversation-content.ts";
import { replayConversation } from "./replays.ts";

/** Copies of an answer, by the positions after it and the versions of each. */
const COPIES = [1, 1, 450, 1, 250, 1, 199, 200, 201, 3];

interface Shown {
  readonly sId: string;
  readonly content?: string;
}

describe("a conversation that is larger than a page", () => {
  const test = workspaceTest({ per: "suite" });
  const db = () => test.core.database.db;
  beforeAll(async () => {
    await insertTestAgent(test.core, test.workspace, { sid: "ann", instructions: "Be brief" });
  });

  /** Makes a conversation with copies of an answer, of `characters` each, and gives its id. */
  const openLarge = async (copies = COPIES, characters = 10): Promise<string> => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    await answerTestTurns(test.core, "x".repeat(characters));
    const values = copies.map((versions, index) => `(${index + 2}, ${versions})`).join(", ");
    const columns = [
      "workspace_id, conversation_id, type, visibility, created_at, content, agent_id",
      "parent_message_id, status, raw_contents",
    ].join(", ");
    await db().execute(sql`
        insert into messages (sid, id, rank, version, ${sql.raw(columns)})
        select 'm' || c.rank || '.' || v, c.rank * 1000000 + v, c.rank, v, ${sql.raw(columns)}
        from messages m, (values ${sql.raw(values)}) c(rank, versions),
          generate_series(0, c.versions - 1) v
        where m.type = 'agent_message'`);
    return conversation.sId;
  };
  /** What is stored, by position. */
  const stored = async (): Promise<string[][]> => {
    const rows = await db()
      .select({ sid: messages.sid, rank: messages.rank })
      .from(messages)
      .orderBy(messages.rank, messages.version);
    return [...Map.groupBy(rows, ({ rank }) => rank).values()].map((row) =>
      row.map(({ sid }) => sid),
    );
  };
  const read = async (content: unknown): Promise<Shown[][]> => {
    const positions: Shown[][] = [];
    for await (const versions of content as AsyncIterable<Shown[]>) {
      positions.push(await Array.fromAsync(versions));
    }
    return positions;
  };
  const sidsOf = (content: readonly (readonly Shown[])[]) =>
    content.map((versions) => versions.map(({ sId }) => sId));
  const streaming = () =>
    Object.assign(Object.create(test.context) as CoreContext, { streamsAnswers: true });

  it("comes whole and in order to callers that stream it", async () => {
    const cId = await openLarge();
    const { conversation } = await getConversation(streaming(), { cId });
    expect(Array.isArray(conversation.content)).toBe(false);
    expect(sidsOf(await read(conversation.content))).toEqual(await stored());
  });

  it("comes whole however the pages are cut", { timeout: 60_000 }, async () => {
    const cId = await openLarge([1, 2, 5, 1, 1, 3, 1], 100_000);
    const { conversation } = await getConversation(streaming(), { cId });
    const content = await read(conversation.content);
    expect(sidsOf(content)).toEqual(await stored());
    expect(content.at(-1)?.at(-1)?.content).toBe("x".repeat(100_000));
  });

  it("comes as its newest page to others, with hasMore", async () => {
    const cId = await openLarge();
    const { conversation, ...page } = await getConversation(test.context, { cId });
    expect(sidsOf(conversation.content).flat()).toEqual((await stored()).flat().slice(-200));
    expect(page).toEqual({ hasMore: true, lastValue: "10.4" });
  });

  it.each([1, 2, 100])("comes in pages of %d positions, newest first", async (limit) => {
    const cId = await openLarge();
    const found: string[] = [];
    let lastValue: string | undefined;
    for (let pages = 0; pages < 50; pages++) {
      const part = await getConversation(test.context, { cId, limit, lastValue });
      const { content } = part.conversation;
      expect(content.length).toBeLessThanOrEqual(limit);
      found.unshift(...sidsOf(content).flat());
      if (!part.hasMore) break;
      lastValue = part.lastValue ?? undefined;
    }
    expect(found).toEqual((await stored()).flat());
  });

  it("says of all of it what its newest page does not hold", async () => {
    const cId = await openLarge([250]);
    await db().update(messages).set({ finishedAt: 9e12 }).where(eq(messages.rank, 1));
    const { conversation } = await getConversation(test.context, { cId, limit: 1 });
    expect(conversation).toMatchObject({ updated: 9e12, unread: true, actionRequired: false });
  });

  it("is reported as long by a replay that answers with its newest page", async () => {
    const cId = await openLarge();
    const input = { message: { content: "Hello", mentions: [] } } as never;
    const replayed = await replayConversation(test.context, input, cId);
    expect(replayed.conversation.content.flat()).toHaveLength(200);
    expect(replayed.warnings).toMatchObject([{ path: "conversation.content" }]);
    const streamed = await replayConversation(streaming(), input, cId);
    expect(streamed.warnings).toBeUndefined();
    expect(sidsOf(await read(streamed.conversation.content))).toEqual(await stored());
  });

  it("reads the text of an answer once, however many tools were called", async () => {
    const cId = await openLarge([1], 100_000);
    const answers = await db().select().from(messages).where(eq(messages.type, "agent_message"));
    const about = {
      toolName: "t",
      functionCallName: "t",
      functionCallId: "c",
      status: "succeeded",
    };
    await db()
      .insert(actions)
      .values(
        answers.flatMap(({ id }) =>
          Array.from({ length: 30 }, (_, position) => ({
            sid: `act${id}.${position}`,
            messageId: id,
            step: 0,
            position,
            ...about,
            params: {},
            output: [],
            createdAt: 1,
            updatedAt: 1,
          })),
        ),
      );
    const { conversation } = await getConversation(test.context, { cId });
    const shown = conversation.content.flat().slice(1) as { actions: { sId: string }[] }[];
    expect(shown.map((one) => one.actions.map(({ sId }) => sId))).toEqual(
      answers.map(({ id }) => Array.from({ length: 30 }, (_, index) => `act${id}.${index}`)),
    );
  });
});
