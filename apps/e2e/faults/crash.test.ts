import { setTimeout as sleep } from "node:timers/promises";
import { type Database, messages } from "@parley/db";
import { isNightly, testSeed } from "@parley/db/testing";
import { CreatedConversation, endpoints } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { jsonOf, pathsOf, send } from "../request.ts";
import { createPlace, databases, type Place, type Server, startServer } from "../server.ts";
import { createRandom } from "./seeded-random.ts";
import { expectSoundState, hasFinished, openDatabase } from "./stored-state.ts";

// What was acknowledged survives SIGKILL in mid-write, and every turn ends exactly once.

const CREATES = 500;
/** So many that those which wait for the slow agent leave enough that do not. */
const CONNECTIONS = 24;
/** A start takes seconds. */
const KILLS = isNightly ? 12 : 4;
const settings = { PARLEY_LEASE_MS: "500" };
const agents = ["helper", "faulty", "slowpoke"];

interface Tally {
  /** How many creates were sent, whether or not they were answered. */
  sent: number;
  readonly acknowledged: Set<string>;
  /** The text of every answer that a client has seen end, by message. */
  readonly answered: Map<string, string>;
}

/** Creates one conversation after the other until the server is gone or enough were sent. */
async function createUntilGone(server: Server, tally: Tally): Promise<void> {
  while (tally.sent < CREATES) {
    const count = tally.sent++;
    const configurationId = agents[count % agents.length];
    const json = {
      message: { content: `${count} é😀`, mentions: [{ configurationId }] },
      blocking: count % 2 === 1,
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

/** Expects that each acknowledged conversation is read over HTTP. */
async function expectReadable(server: Server, acknowledged: ReadonlySet<string>): Promise<void> {
  const sids = [...acknowledged].values();
  const { output } = endpoints["conversations.get"];
  const read = async () => {
    for (const sid of sids) {
      const path = `${pathsOf(server).conversations}/${sid}`;
      const { conversation } = jsonOf(await send(server, { path }), output).parsed;
      expect(conversation).toMatchObject({ sId: sid, content: [[{}], [{}]] });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, read));
}

/** Waits for so long that leases end and what was left is taken over. */
async function letTakeOver(server: Server): Promise<void> {
  // This answer takes two seconds.
  const message = { content: "x", mentions: [{ configurationId: "slowpoke" }] };
  const request = { path: pathsOf(server).conversations, json: { message, blocking: true } };
  expect((await send(server, request)).status).toBe(200);
}

/** Lets servers take over what was left until all of it has ended; gives the database. */
async function finishAll(place: Place): Promise<Database> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const database = await openDatabase(place);
    if (await hasFinished(database)) return database;
    await database.close();
    await using server = await startServer(place, settings);
    await letTakeOver(server);
  }
  throw new Error("Runs are left that no worker took over");
}

describe.each(databases)("a server $name", ({ isEmbedded }) => {
  test(
    `what is acknowledged survives SIGKILL (seed ${testSeed})`,
    { timeout: 180_000 },
    async () => {
      await using place = await createPlace({ isEmbedded });
      const random = createRandom(testSeed);
      const tally: Tally = { sent: 0, acknowledged: new Set(), answered: new Map() };
      let keys: string | undefined;
      // The last round is not cut off: it sends what is left of the creates.
      for (let round = 0; round <= KILLS; round++) {
        const server = await startServer(place, settings);
        const { adminKey, userKey, operatorKey } = server.demo;
        keys ??= JSON.stringify([adminKey, userKey, operatorKey]);
        expect(JSON.stringify([adminKey, userKey, operatorKey])).toBe(keys);
        const started = tally.sent;
        const connections = Array.from({ length: CONNECTIONS }, () =>
          createUntilGone(server, tally),
        );
        if (round < KILLS) {
          // After so many creates, and then somewhere within the next.
          const share = (CREATES - started) / (KILLS + 1 - round);
          const until = started + Math.ceil(share * (0.5 + random()));
          while (tally.sent < until) await sleep(2);
          await sleep(random() * 50);
          await server.kill();
          await Promise.all(connections);
        } else {
          await Promise.all(connections);
          await expectReadable(server, tally.acknowledged);
          await letTakeOver(server);
          await server[Symbol.asyncDispose]();
        }
      }
      expect(tally.sent).toBe(CREATES);
      // Whatever was not acknowledged was on its way when a server went.
      expect(tally.acknowledged.size).toBeGreaterThanOrEqual(CREATES - KILLS * CONNECTIONS);
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
    },
  );
});
