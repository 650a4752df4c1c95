import { startCluster, type TestCluster } from "@parley/db/testing";
import { createRpcClient } from "parley-client";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, eventually, type Place, type Settings } from "../server.ts";
import { fakedTime, whyNoFakedTime } from "./faked-time.ts";

// The clock of the database goes over a change of the zone, those of the servers are wrong, and all of them are away
// while slots pass: each slot fires once.

const MINUTE_MS = 60_000;
/** Before the slot that is waited for: a start takes some of it. */
const LEAD_MS = 25_000;

interface Story {
  readonly name: string;
  readonly timezone: string;
  /** Times at which servers stand by, each some seconds before it. */
  readonly visits: readonly string[];
  /** Cron expressions, each with the slots that fire. */
  readonly fired: Readonly<Record<string, readonly string[]>>;
}

const stories: readonly Story[] = [
  {
    name: "an hour that is repeated",
    timezone: "Europe/Berlin",
    visits: ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
    fired: {
      "30 2 * * *": ["2026-10-25T00:30:00Z"],
      "*/30 * * * *": ["2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"],
    },
  },
  {
    name: "an hour that is skipped",
    timezone: "Europe/Berlin",
    visits: ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"],
    fired: {
      "30 2 * * *": ["2026-03-29T01:00:00Z"],
      "*/30 * * * *": ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"],
    },
  },
];

const noFakedTime = await whyNoFakedTime();
const because = noFakedTime === undefined ? "" : `: ${noFakedTime}`;

describe.concurrent("a schedule", { timeout: 300_000 }, () => {
  for (const story of stories) {
    test.skipIf(noFakedTime !== undefined)(
      `fires once for each slot over ${story.name}${because}`,
      async () => expectOnce(story),
    );
  }
});

async function expectOnce({ timezone, visits, fired }: Story): Promise<void> {
  const times = visits.map((visit) => Date.parse(visit));
  const before = (times[0] ?? 0) - 10 * MINUTE_MS;
  await using cluster = await startCluster({ environment: fakedTime(before) });
  await using bare = await createPlace({ isEmbedded: true, isBare: true });
  const place = { ...bare, databaseUrl: cluster.url };
  {
    const apis = fakedTime(before) as Settings;
    await using fleet = await startFleet(place, { apis: 1, workers: 0 }, { apis });
    const { workspaceId: wId, adminKey: apiKey } = fleet.demo;
    const rpc = createRpcClient({ url: fleet.apis[0]!.url, apiKey });
    for (const cron of Object.keys(fired)) {
      const agent = { agentId: "helper", message: "x" };
      const settings = { wId, name: cron, cron, timezone, agent };
      await rpc.schedules.create.mutate({ ...settings, missed: "all", overlap: "allow" });
    }
  }
  for (const at of times) {
    await cluster.stopAtOnce();
    await cluster.start(fakedTime(at - LEAD_MS));
    await workUntil(cluster, place, at);
  }
  const rows = await query<{ name: string; slot: number; conversations: number }>(
    cluster,
    `
    select s.name, f.slot, (select count(*)::int from conversations c where c.sid = f.conversation_sid) as conversations
    from schedule_firings f join schedules s on s.id = f.schedule_id where f.status <> 'planned' order by f.slot`,
  );
  const wanted = Object.entries(fired).map(([name, slots]) => [
    name,
    slots.map((slot) => ({ name, slot: Date.parse(slot), conversations: 1 })),
  ]);
  expect(Object.groupBy(rows, ({ name }) => name)).toEqual(Object.fromEntries(wanted));
  const all = await query(cluster, "select count(*)::int as count from conversations");
  expect(all).toEqual([{ count: rows.length }]);
}

/** Asks the database by a connection of its own, because the cluster is stopped in between. */
async function query<Row extends object>({ url }: TestCluster, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Starts two workers, whose clocks are ten minutes wrong, and kills them once all slots until `at` have fired. */
async function workUntil(cluster: TestCluster, place: Place, at: number): Promise<void> {
  const wrong = [-10, 10].map((minutes) => fakedTime(at - LEAD_MS + minutes * MINUTE_MS));
  const workers = (index: number) => wrong[index] as Settings;
  await using fleet = await startFleet(place, { apis: 0, workers: wrong.length }, { workers });
  await eventually(async () => {
    const [found] = await query<{ open: number }>(
      cluster,
      `
      select count(*)::int as open from schedule_firings
      where status = 'waiting' or (status = 'planned' and slot <= ${at})`,
    );
    return found?.open === 0 ? { value: true } : {};
  }, 120_000);
  for (const worker of fleet.workers.splice(0)) {
    worker?.signal("SIGKILL");
    // oxlint-disable-next-line no-await-in-loop -- there are two
    await worker?.exited;
  }
}
