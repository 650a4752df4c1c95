/**
 * Traffic of workers on budgets, drawn by a seed: calls that end as they should, that are never sent, that are cut
 * off, or whose run is taken from them. A service that only this file knows counts what is true.
 */
import { budgets, type Database, type Queryable, runs, statement } from "@parley/db";
import { eq, inArray, sql } from "drizzle-orm";
import { setImmediate as nextTurn } from "node:timers/promises";
import { amountOf, greatestAmount, outputTokensFor, type Price } from "../src/usage/prices.ts";
import type { CallToReserve, ReservationServices } from "../src/usage/reservations.ts";
import {
  type BilledCall,
  toUsage,
  type UsagePlace,
  usageParts,
  writeUsage,
} from "../src/usage/usage-ledger.ts";
import { createDraw, type Draw } from "./draw.ts";

/** A process with workers. */
export interface BilledProcess {
  readonly database: Database;
  readonly reserveUsage: ReservationServices["reserveUsage"];
}

/** What the traffic of all seeds shares. */
export interface TrafficWorld {
  readonly processes: readonly BilledProcess[];
  readonly payers: readonly { readonly apiKeyId: number; readonly userId: number }[];
  readonly now: () => number;
  readonly newId: () => string;
}

/** A call that the service was sent. */
export interface TrueCall {
  readonly place: UsagePlace;
  readonly granted: bigint;
  /** What the service asks for it. */
  readonly bill: bigint;
  /** Whether what it counted was written by the attempt that had the run. */
  isCounted: boolean;
}

/** The traffic of one workspace, and the true bill. */
export interface Traffic {
  readonly workspaceId: number;
  readonly calls: TrueCall[];
  bill: bigint;
  /** The bill when a call was first refused. */
  billAtRefusal: bigint | undefined;
  /** Writes of what arrived at attempts that have lost their run. */
  readonly late: (() => Promise<void>)[];
}

export function createTraffic(workspaceId: number): Traffic {
  return { workspaceId, calls: [], bill: 0n, billAtRefusal: undefined, late: [] };
}

const WORKERS = 16;
const MAX_INPUT = 300;
const MAX_OUTPUT = 400;
const MIN_OUTPUT = 20;

/** Each kind of token has a price of its own, and none divides a million. */
const price: Price = {
  input: 3_000_007n,
  cachedInput: 300_011n,
  cacheWrite: 3_750_013n,
  output: 15_000_017n,
};

/** The smallest limit of which calls can use 95 %: no call needs more than the rest. */
export const smallestUsableLimit =
  20n * greatestAmount({ inputTokens: MAX_INPUT, outputTokens: MIN_OUTPUT }, price);

interface Sent {
  readonly fresh: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}

/** What the service asks, by a sum of its own. */
function billOf({ fresh, cached, written, output }: Sent): bigint {
  const total =
    BigInt(fresh) * price.input +
    BigInt(cached) * price.cachedInput +
    BigInt(written) * price.cacheWrite +
    BigInt(output) * price.output;
  return total / 1_000_000n + (total % 1_000_000n === 0n ? 0n : 1n);
}

/** Writes usage as steps do: only that of an attempt that has its run. */
const writeHeldStatement = statement<{ usage: string }>(
  "write_held_usage",
  sql`with held as (
    select r.log_id from runs r
    join json_to_recordset(${sql.placeholder("usage")}::json) as g(log_id text, attempt int)
      on g.log_id = r.log_id and g.attempt = r.attempt
    where r.status = 'running' for update of r
  ), ${usageParts(sql`select log_id from held`)}
  select 1`,
);

type BudgetRow = typeof budgets.$inferInsert;

/** Inserts a hard budget of a workspace for all time, but for what is given. */
export async function insertTestBudget(
  db: Queryable,
  given: Partial<BudgetRow> & Pick<BudgetRow, "sid" | "workspaceId" | "limit">,
): Promise<void> {
  await db.insert(budgets).values({
    name: "team",
    scope: "workspace",
    subject: null,
    measure: "money",
    period: "all",
    timezone: "UTC",
    currency: "USD",
    isHard: true,
    isOperators: false,
    createdAt: 0,
    updatedAt: 0,
    ...given,
  });
}

/** Runs workers until each has made its calls; without faults, until each was refused. */
export async function runTraffic(
  world: TrafficWorld,
  traffic: Traffic,
  { seed, faults }: { readonly seed: number; readonly faults: boolean },
): Promise<void> {
  const { db } = world.processes[0]!.database;
  const logIds = Array.from({ length: WORKERS }, () => world.newId());
  await db.insert(runs).values(
    logIds.map((logId) => ({
      logId,
      kind: "agent_turn" as const,
      workspaceId: traffic.workspaceId,
      subjectId: 0,
      status: "running" as const,
      priority: 0,
      attempt: 1,
      maxAttempts: 1,
      runAfter: new Date(0),
      createdAt: 0,
    })),
  );
  await Promise.all(
    logIds.map(async (logId, index) => {
      const process = world.processes[index % world.processes.length]!;
      const draw = createDraw(seed * WORKERS + index);
      await runWorker(world, traffic, { process, draw, faults, logId });
    }),
  );
  await db.update(runs).set({ status: "finished" }).where(inArray(runs.logId, logIds));
}

interface Worker {
  readonly process: BilledProcess;
  readonly draw: Draw;
  readonly faults: boolean;
  readonly logId: string;
}

const rest = async (draw: Draw) => {
  for (let turns = draw.below(4); turns > 0; turns--) await nextTurn();
};

async function runWorker(world: TrafficWorld, traffic: Traffic, worker: Worker): Promise<void> {
  const { process, draw, faults, logId } = worker;
  const conversationId = draw.below(3);
  const who = { ...draw.oneOf(world.payers), agentId: `agent ${draw.below(2)}`, conversationId };
  const calls = faults ? 1 + draw.below(4) : 10_000;
  let attempt = 1;
  for (let call = 0; call < calls; call++) {
    await rest(draw);
    const inputTokens = 1 + draw.below(MAX_INPUT);
    const place: UsagePlace = {
      ...who,
      workspaceId: traffic.workspaceId,
      origin: faults && draw.happens(10) ? "title" : "answer",
      logId,
      attempt,
      call,
      step: call,
      spaceId: null,
      providerId: "fake",
      modelId: "fake-1",
      currency: "USD",
    };
    const amounts = {
      fewest: greatestAmount({ inputTokens, outputTokens: MIN_OUTPUT }, price),
      most: greatestAmount({ inputTokens, outputTokens: MAX_OUTPUT }, price),
    };
    const conversationSid = `talk ${conversationId}`;
    const asked: CallToReserve = { id: world.newId(), place, conversationSid, amounts };
    const reserved = await process.reserveUsage(asked);
    if (reserved.outcome === "exceeded") {
      traffic.billAtRefusal ??= traffic.bill;
      return;
    }
    // Of a busy budget, others give back what they do not need.
    if (reserved.outcome !== "granted") continue;
    const reservation = { id: asked.id, granted: reserved.amount!, at: world.now() };
    const isTaken = await makeCall(traffic, { ...worker, place, inputTokens, reservation });
    if (isTaken) attempt++;
  }
}

interface GrantedCall extends Worker {
  readonly place: UsagePlace;
  readonly inputTokens: number;
  readonly reservation: { readonly id: string; readonly granted: bigint; readonly at: number };
}

const fates = ["ends", "ends", "ends", "unsent", "cancelled", "killed", "taken"] as const;

/** Makes a call; gives whether another attempt then has the run. */
async function makeCall(traffic: Traffic, granted: GrantedCall): Promise<boolean> {
  const { process, draw, faults, place, inputTokens, reservation } = granted;
  const { db } = process.database;
  const write = async (ended: BilledCall) => {
    if (place.origin === "title") await writeUsage(db, [ended]);
    else await writeHeldStatement.execute(db, { usage: toUsage([ended]) });
  };
  const billed = {
    ...place,
    isEstimated: false,
    reservationId: reservation.id,
    at: reservation.at,
  };
  const uncounted = { ...billed, inputTokens: null, outputTokens: null };
  const fate = faults ? draw.oneOf(fates) : "ends";
  await rest(draw);
  if (fate === "unsent") {
    await write({ ...uncounted, amount: null, isUnsent: true });
    return false;
  }
  // The model may write what the rest of the amount pays for.
  const mayWrite = outputTokensFor(reservation.granted, inputTokens, price);
  const output = draw.below(Math.min(MAX_OUTPUT, mayWrite) + 1);
  const cached = draw.below(inputTokens + 1);
  const written = draw.below(inputTokens - cached + 1);
  const bill = billOf({ fresh: inputTokens - cached - written, cached, written, output });
  const call: TrueCall = { place, granted: reservation.granted, bill, isCounted: false };
  traffic.calls.push(call);
  traffic.bill += bill;
  await rest(draw);
  const tokens = {
    inputTokens,
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
  };
  const counted: BilledCall = { ...billed, ...tokens, amount: amountOf(tokens, price)! };
  switch (fate) {
    case "ends":
      await write(counted);
      call.isCounted = true;
      break;
    case "cancelled":
      await write({ ...uncounted, amount: reservation.granted, isEstimated: true });
      break;
    case "taken": {
      const attempt = place.attempt + 1;
      await db.update(runs).set({ attempt }).where(eq(runs.logId, place.logId));
      // The attempt before does not know it yet.
      if (draw.happens(50)) await write(counted);
      else traffic.late.push(async () => write(counted));
      return true;
    }
    case "killed":
      // What the process has sent may still arrive at it.
      if (draw.happens(30)) traffic.late.push(async () => write(counted));
  }
  return false;
}
