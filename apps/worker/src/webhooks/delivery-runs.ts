import {
  claimDeliveries,
  type ClaimedRun,
  composeDelivery,
  type Core,
  type Delivery,
  dropOrphan,
  refusalOf,
  settleDelivery,
  type SettledDelivery,
  UNREADABLE_SECRET,
} from "@parley/core";
import { createGuard, type Guard } from "@parley/guarded-fetch";
import { MAX_WEBHOOKS, toStorable } from "@parley/schema";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";
import { nextDelayMs } from "./retry-schedule.ts";
import { type Answered, sendDelivery } from "./send-delivery.ts";

/** Deliveries of a workspace that a worker sends at once: twice as many as webhooks that a workspace may have. */
const PER_WORKSPACE = 2 * MAX_WEBHOOKS;
/** Those to slow servers leave their places to others. */
const KEEPS_PLACE_MS = 1000;
const GONE = 410;
const DAY_MS = 86_400_000;

interface DeliveryServices {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly guard: Guard;
  /** How long every delivery to a webhook may fail before it is switched off. */
  readonly disableAfterMs: number;
}

type Outcome = Omit<SettledDelivery, "run" | "delivery">;

/** How a delivery ends of which nothing is sent, if it does. */
function refuse({ core }: DeliveryServices, delivery: Delivery): Outcome | undefined {
  const refusal = refusalOf(delivery);
  if (refusal === undefined) return undefined;
  const { error, disabledFor } = refusal;
  const attempt = { at: core.now(), durationMs: 0, error };
  return { attempt, isSent: false, outcome: "failed", disabledFor };
}

/** What follows from how a receiver took a delivery. */
function judge(
  { core, disableAfterMs }: DeliveryServices,
  delivery: Delivery,
  { at, answered }: { at: number; answered: Answered },
): Outcome {
  const { status, body, error, retryAfterMs } = answered;
  const attempt = {
    at,
    durationMs: core.now() - at,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
  };
  const shared = {
    attempt,
    isSent: true,
    ...(body !== undefined && { responseBody: toStorable(body) }),
  };
  if (error === undefined) return { ...shared, outcome: "succeeded" };
  if (status === GONE) return { ...shared, outcome: "failed", disabledFor: "gone" };
  const { failingSince } = delivery.webhook;
  const hasFailedForLong = failingSince !== null && core.now() - failingSince > disableAfterMs;
  const failed = delivery.attempts.length - delivery.earlierAttempts + 1;
  const delayMs = nextDelayMs(failed, { random: core.random, retryAfterMs });
  return {
    ...shared,
    outcome: delayMs === undefined || hasFailedForLong ? "failed" : { againAfterMs: delayMs },
    ...(hasFailedForLong && { disabledFor: "failing" as const }),
  };
}

/** Sends a claimed delivery once, and settles it: `succeeded`, `failed` or `suspended` until its next attempt. */
async function execute(
  services: DeliveryServices,
  { run, delivery }: { run: ClaimedRun; delivery: Delivery },
  signal: AbortSignal,
): Promise<string> {
  const { core, persistence, guard } = services;
  const outcome = refuse(services, delivery) ?? (await send());
  await persistence.retry(run, signal, () => settleDelivery(core, { run, delivery, ...outcome }));
  return typeof outcome.outcome === "string" ? outcome.outcome : "suspended";

  async function send(): Promise<Outcome> {
    const at = core.now();
    const composed = composeDelivery(core, delivery, { workspaceId: run.workspaceSid ?? "", at });
    if (composed === undefined) {
      return judge(services, delivery, { at, answered: { error: UNREADABLE_SECRET } });
    }
    const answered = await sendDelivery(guard, { url: delivery.webhook.url, ...composed }, signal);
    return judge(services, delivery, { at, answered });
  }
}

/** Runs that deliver events to webhooks. */
export function createDeliveryRuns({
  allowedHosts,
  ...given
}: Omit<DeliveryServices, "guard" | "disableAfterMs"> & {
  readonly allowedHosts: readonly string[];
  readonly disableAfterDays: number;
}): RunKind {
  const services: DeliveryServices = {
    ...given,
    guard: createGuard({ allowedHosts }),
    disableAfterMs: given.disableAfterDays * DAY_MS,
  };
  const { core, persistence } = services;
  return {
    perWorkspace: PER_WORKSPACE,
    keepsPlaceMs: KEEPS_PLACE_MS,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: ({ held, ...request }) =>
      claimDeliveries(core, { ...request, held, perWorkspace: PER_WORKSPACE }),
    execute: async (run, signal) => {
      // A claim gives it unless it, or its webhook, was deleted.
      const delivery = run.subject as Delivery | null;
      if (delivery !== null) return execute(services, { run, delivery }, signal);
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
