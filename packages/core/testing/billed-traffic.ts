/**
 * Traffic of workers on budgets, drawn by a seed: calls that end as they should, that are never sent, that are cut off,
 * or whose run is taken from them. A service that only this file knows counts what is true.
 */
import { budgets, type Database, type Queryable, runs, statement } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { setImmediate as nextTurn } from "node:timers/promises";
import { greatestAmount, amountOf, outputTokensFor, type Price } from "../src/usage/prices.ts";
import { type CallToReserve, type ReservationServices } from "../src/usage/reservations.ts";
import {
  type BilledCall,
  toUsage,
  type UsagePlace,
  usageParts,
  writeUsage,
} from "../src/usage/usage-ledger.ts";

type BudgetRow = typeof budgets.$inferSelect;

/** Draws from a seed: equal seeds draw equal numbers. */
export interface Draw {
  /** A whole number below `end`. */
  below(end: number): number;
  oneOf<T>(values: readonly T[]): T;
  /** Whether something that happens so many times in a hundred happens. */
  happens(percent: number): boolean;
}

/** Marsaglia's xorshift. */
export function createDraw(seed: number): Draw {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  const below = (end: number) => next() % end;
  return {
    below,
    oneOf: (values) => values[below(values.length)]!,
    happens: (percent) => below(100) < percent,
  };
}

/** A process with workers. */
export interface BilledProcess {
  readonly database: Database;
  readonly reserveUsage: ReservationServices["reserveUsage"];
}

/** What the traffic of one seed needs: rows that it does not make, and the clock that it does not move. */
export interface TrafficWorld {
  readonly processes: readonly BilledProcess[];
  readonly payers: readonly { readonly apiKeyId: number; readonly userId: number }[];
  readonly now: () => number;
  readonly newId: () => string;
}

/** A call that the service has been sent, or would have been. */
export interface TrueCall {
  readonly place: UsagePlace;
  readonly granted: bigint;
  /** What the service asks for it. */
  bill: bigint;
  /** Whether what it counted was written. */
  isCounted: boolean;
}

export interface Traffic {
  readonly workspaceId: number;
  readonly calls: TrueCall[];
  /** The true bill, and what the first call that was refused as `exceeded` found of it. */
  bill: bigint;
  billAtRefusal: bigint | undefined;
  /** What workers hold whose runs may have been taken from them; written late, or never. */
  readonly late: (() => Promise<void>)[];
}

const WORKERS = 16;
const MAX_OUTPUT = 400;
const MIN_OUTPUT = 20;

/** Each kind of token has a price of its own, and none divides a million. */
const price: Price = {
  input: 3_000_007n,
  cachedInput: 300_011n,
  cacheWrite: 3_750_013n,
  output: 15_000_017n,
};

/** What the service asks: its own sum, in whole units. */
function billOf({
  fresh,
  cached,
  written,
  output,
}: Record<"fresh" | "cached" | "written" | "output", number>): bigint {
  const parts: [number, bigint][] = [
    [fresh, price.input],
    [cached, price.cachedInput],
    [written, price.cacheWrite],
    [output, price.output],
  ];
  let total = 0n;
  for (const [tokens, each] of parts) total += BigInt(tokens) * each;
  return total / 1_000_000n + (total % 1_000_000n === 0n ? 0n : 1n);
}

/** The least that a budget can be for its calls to use nearly all of it. */
export const smallestUsableLimit =
  20n * greatestAmount({ inputTokens: 300, outputTokens: MIN_OUTPUT }, price);

/** As steps are written: only while the attempt has its run. */
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

/** Inserts a budget of a workspace. */
export async function insertTestBudget(
  db: Queryable,
  given: Partial<BudgetRow> & Pick<BudgetRow, "sid" | "workspaceId" | "limit">,
): Promise<void> {
  await db.insert(budgets).values({
    name: "budget",
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

export function createTraffic(workspaceId: number): Traffic {
  return { workspaceId, calls: [], bill: 0n, billAtRefusal: undefined, late: [] };
}

/** Runs workers until each has made its calls; with no faults, until each was refused. */
export async function runTraffic(
  world: TrafficWorld,
  traffic: Traffic,
  { seed, faults }: { seed: number; faults: boolean },
): Promise<void> {
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, index) => {
      const process = world.processes[index % world.processes.length]!;
      const draw = createDraw(seed * WORKERS + index);
      await runWorker(world, traffic, { process, draw, faults });
    }),
  );
}

async function runWorker(
  world: TrafficWorld,
  traffic: Traffic,
  { process, draw, faults }: { process: BilledProcess; draw: Draw; faults: boolean },
): Promise<void> {
  const { db } = process.database;
  const logId = world.newId();
  let attempt = 1;
  const { workspaceId } = traffic;
  await db.insert(runs).values({
    logId,
    kind: "agent_turn",
    workspaceId,
    subjectId: 0,
    status: "running",
    priority: 0,
    attempt,
    maxAttempts: 9,
    runAfter: new Date(0),
    createdAt: world.now(),
  });
  const payer = draw.oneOf(world.payers);
  const agentId = `agent ${draw.below(2)}`;
  const conversationId = draw.below(3);
  const rest = async () => {
    for (let turns = draw.below(4); turns > 0; turns--) await nextTurn();
  };
  const most = faults ? 1 + draw.below(4) : 10_000;
  let refusals = 0;
  for (let call = 0; call < most && refusals < 1000; call++) {
    await rest();
    const inputTokens = 1 + draw.below(300);
    const origin = faults && draw.happens(10) ? "title" : "answer";
    const place: UsagePlace = {
      workspaceId,
      origin,
      logId,
      attempt,
      call,
      step: call,
      conversationId,
      spaceId: null,
      ...payer,
      agentId,
      providerId: "fake",
      modelId: "fake-1",
      currency: "USD",
    };
    const amounts = {
      fewest: greatestAmount({ inputTokens, outputTokens: MIN_OUTPUT }, price),
      most: greatestAmount({ inputTokens, outputTokens: MAX_OUTPUT }, price),
    };
    const asked: CallToReserve = {
      id: world.newId(),
      place,
      conversationSid: `talk ${conversationId}`,
      amounts,
    };
    const reserved = await process.reserveUsage(asked);
    if (reserved.outcome === "busy") {
      refusals++;
      // Others end soon.
      await rest();
      await nextTurn();
      continue;
    }
    if (reserved.outcome === "exceeded" || reserved.outcome === "unpriced") {
      traffic.billAtRefusal ??= traffic.bill;
      break;
    }
    const isReserved = reserved.outcome === "granted";
    const granted = reserved.amount!;
    const fate = faults
      ? draw.oneOf(["ends", "ends", "ends", "unsent", "cancelled", "killed", "taken"] as const)
      : "ends";
    const billed = {
      ...place,
      isEstimated: false,
      reservationId: isReserved ? asked.id : null,
      at: world.now(),
    };
    const none = { inputTokens: null, outputTokens: null };
    const write = async (ended: BilledCall) => {
      if (origin === "title") await writeUsage(db, [ended]);
      else await writeHeldStatement.execute(db, { usage: toUsage([ended]) });
    };
    if (fate === "unsent") {
      await rest();
      if (isReserved) await write({ ...billed, ...none, amount: null, isUnsent: true });
      continue;
    }
    // The model may write as many tokens as the rest of what is granted pays for.
    const maxOutput = Math.min(MAX_OUTPUT, outputTokensFor(granted, inputTokens, price));
    const output = draw.below(maxOutput + 1);
    const cached = draw.below(inputTokens + 1);
    const written = draw.below(inputTokens - cached + 1);
    const bill = billOf({ fresh: inputTokens - cached - written, cached, written, output });
    const sent: TrueCall = { place, granted, bill, isCounted: false };
    traffic.calls.push(sent);
    traffic.bill += bill;
    await rest();
    const tokens = {
      inputTokens,
      outputTokens: output,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
    };
    const counted: BilledCall = { ...billed, ...tokens, amount: amountOf(tokens, price)! };
    if (fate === "ends") {
      await write(counted);
      sent.isCounted = true;
    } else if (fate === "cancelled") {
      await write({ ...billed, ...none, amount: granted, isEstimated: true });
    } else if (fate === "taken") {
      attempt++;
      await db
        .update(runs)
        .set({ attempt })
        .where(and(eq(runs.logId, logId), eq(runs.status, "running")));
      // The attempt before does not know it yet.
      if (draw.happens(50)) await write(counted);
      else traffic.late.push(async () => write(counted));
    } else if (draw.happens(30)) {
      // The process is gone; what it has sent still arrives.
      traffic.late.push(async () => write(counted));
    }
  }
  await db.update(runs).set({ status: "finished" }).where(eq(runs.logId, logId));
}
