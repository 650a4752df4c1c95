import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../server.ts";
import { describe, expect, test } from "vitest";
import { type FaultyDatabase, startOnFaultyDatabase } from "./faulty-database.ts";
import {
  ask,
  createSpeakers,
  findTorn,
  follow,
  invoke,
  speechOf,
  whenAllSpeak,
} from "./spoken-words.ts";

// Whatever becomes of the connections to the database while answers are streamed: each ends as its
// model or its function has said it, word for word, in the stream, the log and what is stored.

const EACH = 30;
const PATIENCE_MS = 60_000;
const speech = speechOf(60, 4000);

interface Fault {
  readonly name: string;
  readonly settings?: Settings;
  readonly happen: (faulty: FaultyDatabase) => Promise<void>;
}

const faults: Fault[] = [
  {
    name: "stand still for 0.3 s and are reset, three times",
    // What comes after a write that fails goes through a new connection, not one that is gone as well.
    settings: { PARLEY_DATABASE_POOL: "1" },
    happen: async ({ proxy }) => {
      for (let times = 0; times < 3; times++) {
        proxy.freeze();
        await sleep(300);
        proxy.reset();
        await sleep(400);
      }
    },
  },
  {
    name: "bring no answers for 0.3 s and are reset, three times",
    happen: async ({ proxy }) => {
      for (let times = 0; times < 3; times++) {
        proxy.deafen();
        await sleep(300);
        proxy.reset();
        await sleep(400);
      }
    },
  },
  {
    name: "are refused for 3 s, because the server has too many",
    happen: async ({ exhaustConnections }) => {
      const release = await exhaustConnections();
      await sleep(3000);
      await release();
    },
  },
  {
    name: "fall silent permanently, and new ones for 2 s",
    happen: ({ proxy }) => proxy.silence(2000),
  },
  {
    name: "are refused for longer than a lease",
    happen: async ({ proxy }) => {
      proxy.cut();
      await sleep(8000);
      proxy.mend();
    },
  },
];

describe("answers whose worker loses its connections", () => {
  test.for(faults)(
    "lose no word when they $name",
    { timeout: 150_000 },
    async ({ happen, settings }) => {
      await using faulty = await startOnFaultyDatabase({
        PARLEY_MAX_STREAMS_PER_KEY: "1000",
        PARLEY_RATE_READ_PER_MINUTE: "0",
        ...settings,
      });
      const { server, database } = faulty;
      const { agentId, functionId } = await createSpeakers(server, speech);
      const each = Array.from({ length: EACH });
      const all = await Promise.all([
        ...each.map(() => ask(server, agentId)),
        ...each.map(() => invoke(server, functionId)),
      ]);
      const following = Promise.all(all.map((one) => follow(server, one, PATIENCE_MS)));
      await whenAllSpeak(all, PATIENCE_MS);
      await happen(faulty);
      await following;
      expect(await findTorn(database, all, speech)).toEqual([]);
    },
  );
});
