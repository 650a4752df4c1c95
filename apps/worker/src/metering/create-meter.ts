import {
  BUDGET_EXCEEDED,
  type CallMeter,
  countPrompt,
  type CountTokens,
  type MeteredCall,
  type RefusedCall,
  type TokenUsage,
} from "@parley/agent";
import {
  amountOf,
  type BilledCall,
  type Billing,
  type CallToReserve,
  type Core,
  greatestAmount,
  MIN_OUTPUT_TOKENS,
  outputTokensFor,
  type Price,
  type PriceList,
  type Reserved,
  type UsagePlace,
  writeUsage,
} from "@parley/core";
import type { ModelPair, ReachedBudget } from "@parley/schema";
import type { Logger } from "pino";
import { setTimeout as sleep } from "node:timers/promises";
import type { UsageMetrics } from "../runs/usage-metrics.ts";
import { refusal } from "./refusals.ts";

/** Tokens that a call may write where a budget applies: as many as are kept free for an answer. */
const MAX_OUTPUT_TOKENS = 32_000;

/** How long a call waits while others have reserved what is left, and between looks. */
const MAX_WAIT_MS = 10 * 60_000;
const LOOK_MS = { first: 50, most: 1000 };

/** What the calls of a run are made for. */
export type MeteredPlace = Omit<
  UsagePlace,
  "attempt" | "call" | "step" | "providerId" | "modelId" | "currency"
> & { readonly attempt: number; readonly conversationSid: string };

/** What calls are metered with. */
export interface MeterParts {
  readonly core: Core;
  readonly logger: Pick<Logger, "warn">;
  readonly usage: Pick<UsageMetrics, "refused">;
  readonly place: MeteredPlace;
  readonly billing: Billing;
  readonly prices: PriceList;
  readonly countTokens: CountTokens;
  /** Repeats work on the database through an outage. */
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

/** The meter of one attempt at a run. */
export interface RunMeter extends CallMeter {
  /** Whether budgets are asked from now on. */
  isBudgeted: boolean;
  /** The calls that have ended since the last result was written; and those of them that are not written yet. */
  readonly made: readonly BilledCall[];
  readonly ended: readonly BilledCall[];
  /** The soft budgets that a call has found spent, and that are not announced yet. */
  readonly reached: readonly ReachedBudget[];
  /** Called once these are written. */
  written(calls: readonly BilledCall[], reached: readonly ReachedBudget[]): void;
  /** Writes the calls that no result was written with. */
  close(): Promise<void>;
}

/** Creates the meter of an attempt. */
export function createMeter(parts: MeterParts): RunMeter {
  const { core, place, billing, prices, signal } = parts;
  const { conversationSid, ...placed } = place;
  let made: BilledCall[] = [];
  let ended: BilledCall[] = [];
  let reached: ReachedBudget[] = [];
  let calls = 0;

  const begin = async (
    pair: ModelPair,
    request: Parameters<CallMeter["begin"]>[1],
  ): Promise<MeteredCall | RefusedCall> => {
    const at = core.now();
    const { providerId, modelId } = pair;
    const { currency } = billing;
    const of = { ...placed, providerId, modelId, currency, step: request.step, call: calls++ };
    const price = prices.priceAt(pair, at);
    if (!meter.isBudgeted) return track({ place: of, at, price, reservation: undefined });
    await settleEnded(pair);
    const inputTokens =
      price === undefined ? 0 : await countPrompt(providerId, request, parts.countTokens);
    const cost = (outputTokens: number) =>
      price && greatestAmount({ inputTokens, outputTokens }, price);
    const fewest = cost(MIN_OUTPUT_TOKENS);
    const most = cost(MAX_OUTPUT_TOKENS);
    const amounts = fewest === undefined || most === undefined ? null : { fewest, most };
    if (most === 0n) return track({ place: of, at, price, reservation: undefined });
    const asked = { id: core.newId(), place: of, conversationSid, amounts };
    const reserved = await reserve(asked);
    if ("scope" in reserved) {
      parts.usage.refused(reserved.outcome);
      return refusal(reserved);
    }
    reached = [...reached, ...reserved.reached];
    const { amount } = reserved;
    if (reserved.outcome === "none" || amount === null || price === undefined) {
      return track({ place: of, at, price, reservation: undefined });
    }
    const reservation = { id: asked.id, amount };
    const fits = outputTokensFor(amount, inputTokens, price);
    const maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, fits);
    const cut = maxOutputTokens < MAX_OUTPUT_TOKENS ? cutOff : undefined;
    return track({ place: of, at, price, reservation, maxOutputTokens, cut });
  };

  /** Settles what a call before this one has reserved: else this one would wait for it. */
  const settleEnded = async ({ providerId, modelId }: ModelPair): Promise<void> => {
    const held = ended.filter(({ reservationId }) => reservationId !== null);
    if (held.length === 0) return;
    const usage = held.map((call): BilledCall => {
      const isSame = call.providerId === providerId && call.modelId === modelId;
      return isSame ? call : { ...call, origin: "fallback" };
    });
    await parts.retry(async () => writeUsage(core.database.db, usage));
    ended = ended.filter((call) => !held.includes(call));
  };

  const reserve = async (asked: CallToReserve): Promise<Reserved> => {
    const until = performance.now() + MAX_WAIT_MS;
    for (let pauseMs = LOOK_MS.first; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS.most)) {
      const reserved = await parts.retry(() => core.reserveUsage(asked));
      if (reserved.outcome !== "busy" || performance.now() > until) return reserved;
      await sleep(pauseMs * (0.5 + core.random() / 2), undefined, { signal });
    }
  };

  const track = (call: TrackedCall): MeteredCall => {
    let isSent = false;
    let isRefused = false;
    let isOver = false;
    let usage: TokenUsage | undefined;
    return {
      maxOutputTokens: call.maxOutputTokens,
      cut: call.cut,
      sent: () => void (isSent = true),
      refused: () => void (isRefused = true),
      used: (given) => void (usage = given),
      simulated: (given) => {
        if (call.reservation !== undefined) usage = given;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        const billed = toBilled(call, { isSent: isSent && !isRefused, usage });
        if (billed === undefined) return;
        made = [...made, billed];
        ended = [...ended, billed];
      },
    };
  };

  const meter: RunMeter = {
    isBudgeted: billing.isBudgeted,
    begin,
    get made() {
      return made;
    },
    get ended() {
      return ended;
    },
    get reached() {
      return reached;
    },
    written: (some, announced) => {
      made = [];
      ended = ended.filter((one) => !some.includes(one));
      reached = reached.filter((one) => !announced.includes(one));
    },
    close: async () => {
      const left = ended;
      if (left.length === 0) return;
      try {
        await writeUsage(core.database.db, left);
        meter.written(left, []);
      } catch (err) {
        // Those with a reservation are settled by a sweep.
        parts.logger.warn({ err }, "What calls of a model were billed could not be written");
      }
    },
  };
  return meter;
}

const cutOff: RefusedCall = {
  code: BUDGET_EXCEEDED,
  message: "The answer ends here: a budget had no more left for it",
};

/** A call, with what it was reserved under. */
interface TrackedCall {
  readonly place: UsagePlace;
  readonly at: number;
  readonly price: Price | undefined;
  readonly reservation: { readonly id: string; readonly amount: bigint } | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly cut?: RefusedCall | undefined;
}

const unknown = { inputTokens: null, outputTokens: null };

/** What a call was billed; undefined if it is not known and was not reserved, or if it was billed nothing. */
function toBilled(
  { place, at, price, reservation }: TrackedCall,
  { isSent, usage }: { readonly isSent: boolean; readonly usage: TokenUsage | undefined },
): BilledCall | undefined {
  const reservationId = reservation?.id ?? null;
  const of = { ...place, at, reservationId };
  if (usage !== undefined) {
    const amount = (price && amountOf(usage, price)) ?? null;
    return { ...of, ...usage, amount, isEstimated: false };
  }
  if (reservation === undefined) return undefined;
  if (!isSent) return { ...of, ...unknown, amount: 0n, isEstimated: false, isUnsent: true };
  return { ...of, ...unknown, amount: reservation.amount, isEstimated: true };
}
