import {
  type BudgetScope,
  type Database,
  openPostgres,
  statement,
  usageEntries,
  usageReservations,
} from "@parley/db";
import { createTemporaryDatabase, isNightly, testSeed } from "@parley/db/testing";
import { gte, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTraffic,
  insertTestBudget,
  runTraffic,
  smallestUsableLimit,
  type Traffic,
  type TrafficWorld,
  type TrueCall,
} from "../../testing/billed-traffic.ts";
import { createDraw } from "../../testing/draw.ts";
import {
  createTestCore,
  insertTestWorkspace,
  openTestContext,
  type TestCore,
} from "../../testing/testing.ts";
import { createReservations, settleLostUsage } from "./reservations.ts";

// Each seed is a workspace with budgets of its own. Seeds of a group run at the same time, in the same processes.

const GROUPS = isNightly ? 625 : 2;
const SEEDS = 16;
const PROCESSES = 4;
const DAY_MS = 86_400_000;
/** Numbers of workspaces that nothing else has. */
const FIRST_WORKSPACE = 1_000_000;

let opened: TestCore;
const databases: Database[] = [];
let drop: () => Promise<void>;
let world: TrafficWorld;
let subjects: Readonly<Record<BudgetScope, readonly string[]>>;
let workspaces = FIRST_WORKSPACE;

beforeAll(async () => {
  const temporary = await createTemporaryDatabase();
  ({ drop } = temporary);
  for (let i = 0; i < PROCESSES; i++) databases.push(await openPostgres({ url: temporary.url }));
  opened = createTestCore(databases[0]!);
  const { core, clock } = opened;
  const workspace = await insertTestWorkspace(core);
  const callers = [];
  for (const role of ["user", "builder"] as const)
    callers.push((await openTestContext(core, workspace, role)).caller);
  const payers = callers.map(({ apiKey, user }) => ({ apiKeyId: apiKey.id, userId: user.id }));
  subjects = {
    server: [],
    workspace: [],
    api_key: callers.map(({ apiKey }) => apiKey.sid),
    user: callers.map(({ user }) => user.sid),
    agent: ["agent 0", "agent 1"],
    conversation: ["talk 0", "talk 1", "talk 2"],
  };
  const now = () => clock.now;
  world = {
    processes: databases.map((database) => ({
      database,
      reserveUsage: createReservations(database.db, now),
    })),
    payers,
    now,
    newId: () => core.newId(),
  };
});
afterAll(async () => {
  for (const database of databases.slice(1)) await database.close();
  await opened.close();
  await drop();
});

const db = () => databases[0]!.db;

/** Budgets of the workspace of a seed: one is for all of it, and one at least is hard. */
async function insertBudgets(seed: number, workspaceId: number): Promise<void> {
  const draw = createDraw(seed);
  for (let left = draw.below(4); left >= 0; left--) {
    const scopes = ["workspace", "api_key", "user", "agent", "conversation"] as const;
    const scope = left === 0 ? "workspace" : draw.oneOf(scopes);
    await insertTestBudget(db(), {
      sid: world.newId(),
      workspaceId,
      scope,
      subject: draw.happens(50) ? draw.oneOf([null, ...subjects[scope]]) : null,
      period: draw.oneOf(["day", "week", "month", "all"]),
      timezone: draw.oneOf(["UTC", "Europe/Berlin", "Pacific/Auckland"]),
      limit: (smallestUsableLimit * BigInt(1 + draw.below(6))) / BigInt(1 + draw.below(3)),
      isHard: left === 0 || draw.happens(75),
    });
  }
}

/** Budgets of the workspaces that are overspent, or whose row is not the sum of what they hold. */
const violationsStatement = statement<{ first: number }, object>(
  "find_overspent",
  sql`
    select b.workspace_id, b.scope, s.*, h.held, b."limit"
    from budgets b join budget_spending s on s.budget_id = b.id
    cross join lateral (
      select coalesce(sum(h.amount), 0) as held from budget_holds h
      where h.budget_id = s.budget_id and h.subject = s.subject and h.starts_at = s.starts_at
    ) h
    where b.workspace_id >= ${sql.placeholder("first")}::bigint
      and (s.reserved <> h.held or (b.is_hard and s.spent + s.reserved > b."limit"))`,
);
const findViolations = async (first: number) => violationsStatement.execute(db(), { first });

/** Budgets from the beginning for which the ledger has another sum than their row. */
const differencesStatement = statement<{ first: number }, object>(
  "find_differences",
  sql`
    with spent as (
      select s.budget_id, s.subject, s.starts_at, s.spent + coalesce(sum(h.settled), 0) as amount
      from budgets b join budget_spending s on s.budget_id = b.id
      left join budget_holds h
        on h.budget_id = s.budget_id and h.subject = s.subject and h.starts_at = s.starts_at
      where b.workspace_id >= ${sql.placeholder("first")}::bigint and b.name <> 'late'
      group by s.budget_id, s.subject, s.starts_at
    ),
    ledger as (
      select b.budget_id, b.subject, b.starts_at, sum(e.amount) as amount
      from usage_entries e cross join lateral budgets_of(
        e.workspace_id, e.api_key_id, e.user_id, e.agent_id, 'talk ' || e.conversation_id, e.at
      ) b
      join budgets on budgets.id = b.budget_id and budgets.name <> 'late'
      where e.workspace_id >= ${sql.placeholder("first")}::bigint
      group by b.budget_id, b.subject, b.starts_at
    )
    select * from spent full join ledger using (budget_id, subject, starts_at)
    where coalesce(spent.amount, 0) <> coalesce(ledger.amount, 0)`,
);
const findDifferences = async (first: number) => differencesStatement.execute(db(), { first });

/** The entries of the workspaces by their calls. */
async function readLedger(first: number) {
  const rows = await db().select().from(usageEntries).where(gte(usageEntries.workspaceId, first));
  return new Map(rows.map((row) => [`${row.logId} ${row.attempt} ${row.call}`, row]));
}
const keyOf = ({ place }: TrueCall) => `${place.logId} ${place.attempt} ${place.call}`;

const OBSERVED = 5;

/** Runs what is given while budgets are looked at, and lost calls are settled. */
async function whileObserved(first: number, work: Promise<unknown>[]): Promise<void> {
  const observe = async () => {
    for (let left = OBSERVED; left > 0; left--) {
      expect(await findViolations(first)).toEqual([]);
      await settleLostUsage(opened.core);
    }
  };
  await Promise.all([...work, observe()]);
}

const groups = Array.from({ length: GROUPS }, (_, group) => testSeed + group * SEEDS);
const startGroup = () => {
  const first = workspaces;
  workspaces += SEEDS;
  return { first, traffics: Array.from({ length: SEEDS }, (_, i) => createTraffic(first + i)) };
};

describe("hard budgets", () => {
  it.each(groups)(
    "hold, and the ledger has each call once and in full, whatever becomes of it (seeds from %d)",
    async (seed) => {
      const { first, traffics } = startGroup();
      const draw = createDraw(seed);
      await Promise.all(traffics.map((one, i) => insertBudgets(seed + i, one.workspaceId)));
      const runAll = (phase: number) =>
        traffics.map((one, i) =>
          runTraffic(world, one, { seed: (seed + i) * 2 + phase, faults: true }),
        );
      const addBudget = async (workspaceId: number) =>
        insertTestBudget(db(), {
          sid: world.newId(),
          workspaceId,
          name: "late",
          limit: smallestUsableLimit,
        });
      await whileObserved(first, [
        ...runAll(0),
        ...traffics.filter(() => draw.happens(50)).map((one) => addBudget(one.workspaceId)),
      ]);
      opened.clock.now += draw.oneOf([31_000, 400_000, DAY_MS, 31 * DAY_MS]);
      const isLate = () => draw.happens(50);
      const writeLate = (one: Traffic) => one.late.filter(isLate).map((write) => write());
      await whileObserved(first, [...runAll(1), ...traffics.flatMap(writeLate)]);
      opened.clock.now += 400_000;
      while ((await settleLostUsage(opened.core)) > 0);
      // They come when everything was settled.
      for (const { late } of traffics) await Promise.all(late.map((write) => write()));

      expect(await findViolations(first)).toEqual([]);
      expect(await findDifferences(first)).toEqual([]);
      expect(await db().$count(usageReservations, gte(usageReservations.workspaceId, first))).toBe(
        0,
      );
      const ledger = await readLedger(first);
      for (const call of traffics.flatMap(({ calls }) => calls)) {
        const entry = ledger.get(keyOf(call));
        ledger.delete(keyOf(call));
        const { isEstimated, amount } = entry ?? {};
        expect(call.isCounted && isEstimated).toBe(false);
        expect(amount).toBe(isEstimated ? call.granted : call.bill);
        expect(amount! >= call.bill).toBe(true);
      }
      // Nothing that was not sent is billed.
      expect([...ledger.keys()]).toEqual([]);
    },
    60_000,
  );

  it.each(groups)(
    "can be used to 95 % at least, and nothing is estimated, if nothing fails (seeds from %d)",
    async (seed) => {
      const { first, traffics } = startGroup();
      const limits = traffics.map((_, i) => smallestUsableLimit * BigInt(1 + ((seed + i) % 10)));
      await Promise.all(
        traffics.map(({ workspaceId }, i) =>
          insertTestBudget(db(), { sid: world.newId(), workspaceId, limit: limits[i]! }),
        ),
      );
      await whileObserved(
        first,
        traffics.map((one, i) => runTraffic(world, one, { seed: seed + i, faults: false })),
      );
      expect(await findDifferences(first)).toEqual([]);
      const ledger = [...(await readLedger(first)).values()];
      expect(ledger.filter(({ isEstimated }) => isEstimated)).toEqual([]);
      for (const [i, { workspaceId, bill, billAtRefusal }] of traffics.entries()) {
        const limit = limits[i]!;
        const own = ledger.filter((row) => row.workspaceId === workspaceId);
        expect(own.reduce((sum, row) => sum + row.amount!, 0n)).toBe(bill);
        expect(bill <= limit).toBe(true);
        expect(billAtRefusal! * 100n >= limit * 95n).toBe(true);
      }
    },
    60_000,
  );
});
