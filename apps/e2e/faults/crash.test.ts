import { setTimeout as sleep } from "node:timers/promises";
import { type Database, messages } from "@parley/db";
import { CreatedConversation } from "@parley/schema";
import { expect, test } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import { createPlace, onEachDriver, type Place, type Server, startServer } from "../server.ts";
import { expectSoundState, hasFinished, openDatabase } from "./stored-state.ts";

// What was acknowledged survives SIGKILL in mid-write, and every turn ends exactly once.

const ROUNDS = 3;
const CONNECTIONS = 8;
const settings = { PARLEY_LEASE_MS: "500" };
const agents = ["helper", "faulty", "slowpoke"];

interface Tally {
  readonly acknowledged: Set<string>;
  readonly answered: Map<string, string>;
}

/** Creates one conversation after the other until the server is gone; odd connections block. */
async function createUntilGone(server: Server, connection: number, tally: Tally): Promise<void> {
  for (let count = 0; ; count++) {
    const configurationId = agents[(connection + count) % agents.length];
    const json = {
      message: { content: `${connection}/${count} é😀`, mentions: [{ configurationId }] },
      blocking: connection % 2 === 1,
    };
    const answer = await send(server, { path: pathsOf(server).conversations, json }).catch(
      () => undefined,
    );
    if (answer === undefined) return;
    const { conversation } = jsonOf(answer, CreatedConversation).parsed;
    tally.acknowledged.add(conversation.sId);
    for (const [message] of conversation.content) {
      if (message?.type !== "agent_message" || message.status === "created") continue;
      tally.answered.set(message.sId, message.content);
    }
  }
}

/** Lets servers take over what was left until all of it has ended; gives the database. */
async function finishAll(place: Place): Promise<Database> {
  for (let attempt = 0; attempt < 4; attempt++) {
    {
      await using server = await startServer(place, settings);
      // Leases end and are taken over while this answer, of two seconds, is waited for.
      const mentions = [{ configurationId: "slowpoke" }];
      const json = { message: { content: "x", mentions }, blocking: true };
      const answer = await send(server, { path: pathsOf(server).conversations, json });
      expect(answer.status).toBe(200);
    }
    const database = await openDatabase(place);
    if (await hasFinished(database)) return database;
    await database.close();
  }
  throw new Error("Runs are left that no worker took over");
}

onEachDriver((driver) => {
  test("acknowledged conversations and answers survive SIGKILL", { timeout: 120_000 }, async () => {
    await using place = await createPlace(driver);
    const tally: Tally = { acknowledged: new Set(), answered: new Map() };
    let keys: string | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startServer(place, settings);
      const { adminKey, userKey, operatorKey } = server.demo;
      keys ??= JSON.stringify([adminKey, userKey, operatorKey]);
      expect(JSON.stringify([adminKey, userKey, operatorKey])).toBe(keys);
      const connections = Array.from({ length: CONNECTIONS }, (_, connection) =>
        createUntilGone(server, connection, tally),
      );
      const before = tally.acknowledged.size;
      await expect
        .poll(() => tally.acknowledged.size, { interval: 5, timeout: 10_000 })
        .toBeGreaterThan(before + 20);
      await sleep(Math.random() * 50);
      await server.kill();
      await Promise.all(connections);
    }
    expect(tally.acknowledged.size).toBeGreaterThan(ROUNDS * 20);
    expect(tally.answered.size).toBeGreaterThan(0);

    const database = await finishAll(place);
    try {
      await expectSoundState(database, tally.acknowledged);
      const stored = await database.db.select().from(messages);
      const contents = new Map(stored.map(({ sid, content }) => [sid, content]));
      for (const [sid, content] of tally.answered) expect(contents.get(sid)).toBe(content);
    } finally {
      await database.close();
    }
  });
});
