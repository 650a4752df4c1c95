/** Calls of models that make vectors: each is reserved in the budgets that apply before it is sent. */
import type { EmbeddingStop } from "@parley/db";
import type { Process } from "../context.ts";
import type { PriceServices } from "../usage/price-lists.ts";
import { amountOf, greatestAmount, type Price } from "../usage/prices.ts";
import type { Reserved, ReservationServices } from "../usage/reservations.ts";
import type { Billing } from "../usage/turn-billing.ts";
import type { BilledCall, UsagePlace } from "../usage/usage-ledger.ts";
import { readProviderSecret, UnreadableSecret } from "../workspaces/provider-credentials.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import type { Embedded, EmbedderServices } from "./embedder.ts";
import type { EmbeddingSet } from "./embedding-sets.ts";

/** What calls are made with. */
export type EmbeddingCore = Process &
  EmbedderServices &
  PriceServices &
  ReservationServices &
  SecretServices;

/** A call that is to be made. */
export interface EmbeddingCall {
  readonly set: Pick<EmbeddingSet, "providerId" | "modelId" | "askedDimensions" | "dimensions">;
  readonly billing: Billing;
  readonly place: Omit<
    UsagePlace,
    "step" | "conversationId" | "agentId" | "providerId" | "modelId" | "currency"
  >;
  readonly texts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why there are no vectors. */
export interface Stopped {
  readonly stop: EmbeddingStop | "too_long";
  readonly problem: string;
  /** When to try again, if that is known. */
  readonly retryAt?: number | undefined;
}

/** What a call gave; its bill is to be written with that. */
export type Metered = (Pick<Embedded, "vectors"> | Stopped) & {
  readonly billed: readonly BilledCall[];
};

/** How soon a call that others' reservations left no room for is tried again. */
const BUSY_MS = 5000;

/** Makes vectors of texts, unless a budget has no room for it. Throws only on outages, and when the signal aborts. */
export async function embedMetered(core: EmbeddingCore, call: EmbeddingCall): Promise<Metered> {
  const { set, billing, place, texts } = call;
  const { providerId, modelId, askedDimensions } = set;
  const pair = { providerId, modelId };
  const at = core.now();
  const prices = await core.priceListOf(place.workspaceId, billing);
  const price = prices.priceAt(pair, at);
  const { currency } = billing;
  const of = { ...place, ...pair, currency, step: place.call, conversationId: 0, agentId: "" };
  let apiKey: string | undefined;
  try {
    apiKey = await readProviderSecret(core, { workspaceId: place.workspaceId, providerId });
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return { stop: "credential", problem: error.message, billed: [] };
  }
  const reserved = billing.isBudgeted ? await reserve(core, { of, texts, price }) : undefined;
  if (reserved !== undefined && "stop" in reserved) return { ...reserved, billed: [] };
  const { timeoutMs, signal } = call;
  const answer = await core.embed({
    ...pair,
    dimensions: askedDimensions,
    texts,
    apiKey,
    timeoutMs,
    signal,
  });
  const bill = toBill({ ...of, at, reservationId: reserved?.id ?? null }, price);
  if (!("vectors" in answer)) {
    const { code, message, mayBeBilled, retryAfterMs } = answer;
    const retryAt = retryAfterMs === undefined ? undefined : core.now() + retryAfterMs;
    const billed = mayBeBilled ? bill(null, reserved?.amount) : bill("unsent", undefined);
    return { stop: code, problem: message, retryAt, billed };
  }
  const billed = bill(answer.tokens, reserved?.amount);
  const { length } = answer.vectors[0] ?? [];
  if (set.dimensions !== null && length !== set.dimensions) {
    const problem = `The model gave vectors of ${length} dimensions, and before of ${set.dimensions}: choose it again, and all are made again`;
    return { stop: "service", problem, billed };
  }
  return { vectors: answer.vectors, billed };
}

type Reservation = { readonly id: string; readonly amount: bigint } | undefined;

async function reserve(
  core: Pick<EmbeddingCore, "newId" | "now" | "reserveUsage">,
  given: { of: UsagePlace; texts: readonly string[]; price: Price | undefined },
): Promise<Reservation | Stopped> {
  const { of, texts, price } = given;
  // No model counts more tokens than bytes.
  const inputTokens = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const most = price && greatestAmount({ inputTokens, outputTokens: 0 }, price);
  const id = core.newId();
  const amounts = most === undefined ? null : { fewest: most, most };
  const reserved = await core.reserveUsage({ id, place: of, conversationSid: null, amounts });
  if (!("scope" in reserved)) {
    return reserved.amount === null || reserved.outcome === "none"
      ? undefined
      : { id, amount: reserved.amount };
  }
  return refusalOf(reserved, of, core.now());
}

function refusalOf(
  { outcome, scope, endsAt }: Extract<Reserved, { scope: unknown }>,
  { providerId, modelId }: UsagePlace,
  now: number,
): Stopped {
  if (outcome === "busy") {
    const problem = `Other calls have reserved what is left of a budget of the ${scope}`;
    return { stop: "budget", problem, retryAt: now + BUSY_MS };
  }
  if (outcome === "exceeded") {
    const problem = `A budget of the ${scope} is used up`;
    return { stop: "budget", problem, retryAt: endsAt ?? undefined };
  }
  const problem = `${providerId}/${modelId} has no price, and a hard budget of the ${scope} applies: set its price`;
  return { stop: "unpriced", problem };
}

type Billable = Omit<BilledCall, "inputTokens" | "outputTokens" | "amount" | "isEstimated">;

/** Makes the bill of a call by the tokens that its service counted. */
function toBill(of: Billable, price: Price | undefined) {
  return (tokens: number | "unsent" | null, reserved: bigint | undefined): BilledCall[] => {
    if (typeof tokens === "number") {
      const counts = { inputTokens: tokens, outputTokens: 0 };
      const amount = (price && amountOf(counts, price)) ?? null;
      return [{ ...of, ...counts, amount, isEstimated: false }];
    }
    if (of.reservationId === null) return [];
    const unknown = { ...of, inputTokens: null, outputTokens: null };
    if (tokens === "unsent")
      return [{ ...unknown, amount: 0n, isEstimated: false, isUnsent: true }];
    return [{ ...unknown, amount: reserved ?? 0n, isEstimated: true }];
  };
}
