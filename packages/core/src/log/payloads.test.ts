import { agents, events } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { answerTestTurns, createTestConversation, insertTestAgent } from "../../testing/testing.ts";
import { configurationsOf } from "../agents/agent-versions.ts";
import { renderAgent } from "../agents/agents.ts";
import type { AgentRow } from "../data-access/rows.ts";
import type { StoredEvent } from "./bus.ts";
import { followLog } from "./follow.ts";
import { renderEvent } from "./payloads.ts";
import { readEvents } from "./read-log.ts";

// Longer ones are in no event.
const INSTRUCTIONS = "Be brief. ".repeat(1600);
const AGENTS = 50;

describe("events of agents with long instructions", () => {
  const test = workspaceTest({ parts: { safetyPollMs: 60_000 }, per: "suite" });
  let all: AgentRow[];
  beforeAll(async () => {
    all = [];
    for (let index = 0; index < AGENTS; index++) {
      const agent = { sid: `agent${index}`, instructions: INSTRUCTIONS };
      all.push(await insertTestAgent(test.core, test.workspace, agent));
    }
  });

  /** Follows a log until `count` events have come. */
  const follow = async (logId: string, count: number): Promise<StoredEvent[]> => {
    const found: StoredEvent[] = [];
    const signal = AbortSignal.timeout(20_000);
    for await (const batch of followLog(test.core, { logId, after: 0, signal })) {
      found.push(...batch);
      if (found.length >= count) break;
    }
    return found;
  };
  const storedBytes = async (): Promise<number> => {
    const [sum] = await test.core.database.db
      .select({ bytes: sql`sum(octet_length(payload))`.mapWith(Number) })
      .from(events);
    return sum!.bytes;
  };
  const sids = () => all.map(({ sid }) => sid);

  it("stores no instructions with a create that mentions fifty of them", async () => {
    await createTestConversation(test.context, sids());
    // Of 26 MB of instructions.
    expect(await storedBytes()).toBeLessThan(64 * 1024);
    await answerTestTurns(test.core);
    expect(await storedBytes()).toBeLessThan(256 * 1024);
  });

  it("hands followers the whole configuration if the log only names it", async () => {
    const { conversation } = await createTestConversation(test.context, sids());
    const announced = await follow(conversation.sId, AGENTS + 1);
    expect(announced.map(({ seq }) => seq)).toEqual(announced.map((_, index) => index + 1));
    const answers = conversation.content.flat().slice(1);
    for (const [index, { payload }] of announced.slice(1).entries()) {
      const { error: _error, ...answer } = answers[index] as (typeof answers)[0] & {
        error: null;
      };
      // The same bytes as an event that holds all of it.
      expect(payload).toBe(
        JSON.stringify({
          type: "agent_message_new",
          created: answer.created,
          configurationId: all[index]!.sid,
          messageId: answer.sId,
          message: { ...answer, error: null, rank: index + 1 },
        }),
      );
    }
  });

  it("gives the configuration to followers before and after an answer ends", async () => {
    const { conversation } = await createTestConversation(test.context, ["agent0"]);
    const logId = conversation.content[1]![0]!.sId;
    const live = follow(logId, 2);
    await answerTestTurns(test.core, 'Say "configuration":{"agentVersion":1}');
    const late = await follow(logId, 2);
    expect(await live).toEqual(late);
    expect(JSON.parse(late[1]!.payload)).toMatchObject({
      type: "agent_message_success",
      message: { configuration: renderAgent(test.core, all[0]!), status: "succeeded" },
    });
  });

  it("shows the status that the agent had, however often it is read", async () => {
    const agent = await insertTestAgent(test.core, test.workspace, { sid: "archived" });
    const { conversation } = await createTestConversation(test.context, ["archived"]);
    const before = await follow(conversation.sId, 2);
    const { db } = test.core.database;
    await db.update(agents).set({ status: "archived" }).where(eq(agents.id, agent.id));
    expect(await follow(conversation.sId, 2)).toEqual(before);
  });

  it("makes the URL of an author's picture when it is read, so that no process stores its own", async () => {
    const { conversation } = await createTestConversation(test.context, []);
    const [live] = await follow(conversation.sId, 1);
    const { message } = JSON.parse(live!.payload) as { message: { user: { image: string } } };
    expect(message.user.image).toBe(`${test.core.publicUrl}/pictures/user-1.svg`);
    const { db } = test.core.database;
    const [stored] = await readEvents(db, conversation.sId, 0);
    expect(stored!.payload).not.toContain(test.core.publicUrl);
    const elsewhere = configurationsOf({
      agentVersions: test.core.agentVersions,
      publicUrl: "https://example.org/parley",
    });
    const shown = await renderEvent(elsewhere, stored!);
    const other = live!.payload.replaceAll(test.core.publicUrl, elsewhere.publicUrl);
    expect(shown.payload).toBe(other);
    // As older versions stored it.
    expect(await renderEvent(elsewhere, live!)).toEqual(live);
  });

  it("hands out old events, which hold the configuration, as they are", async () => {
    const { conversation } = await createTestConversation(test.context, ["agent1"]);
    const [, announced] = await follow(conversation.sId, 2);
    const { db } = test.core.database;
    const ofLog = eq(events.logId, conversation.sId);
    await db
      .update(events)
      .set({ payload: announced!.payload })
      .where(sql`${ofLog} and seq = 2`);
    expect(await storedBytes()).toBeGreaterThan(INSTRUCTIONS.length);
    expect(await follow(conversation.sId, 2)).toMatchObject([{ seq: 1 }, announced!]);
  });
});
