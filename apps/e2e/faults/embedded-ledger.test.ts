import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readEmbeddedUrl } from "@parley/db";
import pg from "pg";
import { expect, test } from "vitest";
import type { Replicas } from "../replicas/fleet.ts";
import { createLedger, totalsOf } from "../replicas/ledger.ts";
import { startLoad } from "../replicas/load.ts";
import { expectSoundness } from "../replicas/soundness.ts";
import { createSubjects } from "../replicas/subjects.ts";
import { createPlace, eventually, type ServerProcess, startServer } from "../server.ts";

// A server and the PostgreSQL that it started, under creates, invocations and followers, while one
// after the other is killed in any order: what was acknowledged is there, whole, and ends once.

/** How often each is killed. */
const KILLS = 20;
const LIMITS = {
  PARLEY_MAX_STREAMS_PER_KEY: "10000",
  PARLEY_RATE_READ_PER_MINUTE: "0",
  PARLEY_LEASE_MS: "6000",
};

type Victim = "server" | "postmaster" | "backend";

test(
  "nothing acknowledged is lost with an embedded database, whatever is killed",
  { timeout: 900_000 },
  async () => {
    await using place = await createPlace({ isEmbedded: true });
    let server: ServerProcess = await startServer(place, LIMITS);
    await using ending = new AsyncDisposableStack();
    ending.defer(() => server[Symbol.asyncDispose]());
    const logged: string[] = [];
    // One that dies and comes back elsewhere, as clients of a fleet know it.
    const fleet: Replicas = { apis: [server], demo: server.demo };
    const ledger = createLedger();
    const load = startLoad(fleet, ledger, await createSubjects(fleet));

    const kills: Readonly<Record<Victim, () => Promise<void>>> = {
      server: async () => {
        fleet.apis[0] = undefined;
        await server.kill();
        logged.push(server.output.stderr);
        server = await startServer(place, LIMITS);
        fleet.apis[0] = server;
      },
      postmaster: async () => {
        const file = path.join(place.directory, "postgresql/postmaster.pid");
        process.kill(Number.parseInt(await readFile(file, "utf8"), 10), "SIGKILL");
      },
      backend: async () => void process.kill(await backendOf(place.directory), "SIGKILL"),
    };
    const victims = (["server", "postmaster", "backend"] as const).flatMap((victim) =>
      Array.from({ length: KILLS }, () => victim),
    );
    try {
      for (const victim of shuffle(victims)) {
        await sleep(500 + Math.random() * 1000);
        await kills[victim]();
        await expectAcknowledgement(ledger);
      }
    } finally {
      await load.stop();
      process.stdout.write(`embedded: ${JSON.stringify(totalsOf(ledger))}\n`);
    }
    const pool = new pg.Pool({ connectionString: await readEmbeddedUrl(place.directory), max: 2 });
    try {
      await expectFinished(pool);
      const ends = await expectSoundness(pool, ledger);
      process.stdout.write(`embedded: ${JSON.stringify(ends)}\n`);
      expect(ends.succeeded).toBeGreaterThan(100);
    } finally {
      await pool.end();
    }
    const lines = [...logged, server.output.stderr].flatMap((text) => text.split("\n"));
    expect(lines.filter((line) => /"level":60|Unhandled|RangeError|TypeError/.test(line))).toEqual(
      [],
    );
  },
);

/** A process of the database that works for a connection of the server's. */
async function backendOf(directory: string): Promise<number> {
  return eventually(async () => {
    const client = new pg.Client({ connectionString: await readEmbeddedUrl(directory) });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'parley' limit 1",
      );
      return rows[0] === undefined ? {} : { value: rows[0].pid };
    } catch {
      // It is just coming up again.
      return {};
    } finally {
      await client.end().catch(() => {});
    }
  }, 20_000);
}

/** All is well again once something new is acknowledged. */
async function expectAcknowledgement({ acknowledged }: ReturnType<typeof createLedger>) {
  const before = acknowledged.size;
  await eventually(async () => (acknowledged.size > before + 5 ? { value: true } : {}), 20_000);
}

/** What nobody followed ends too. */
async function expectFinished(pool: pg.Pool): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query("select 1 from runs where status <> 'finished' limit 1");
    return rows.length === 0 ? { value: true } : {};
  }, 60_000);
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
