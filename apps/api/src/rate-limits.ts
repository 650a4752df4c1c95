import { ParleyError, type RateLimitClass } from "@parley/schema";
import { addressGroup } from "./address-group.ts";
import type { ApiSettings } from "./config.ts";
import { type Consumed, createLimiter, type Limiter, type Policy } from "./limiter.ts";
import { createSharedLimiter, type SharedCounters } from "./shared-limiter.ts";

type SetHeaders = (headers: Record<string, string>) => void;

export interface RateLimits {
  /** Whether calls of a class are limited at all. */
  limits(kind: RateLimitClass): boolean;
  /**
   * Counts a call of a class for a subject, and tells `setHeaders` what is left, also when it then
   * throws `rate_limit_error` because a quota is used up.
   */
  consume(kind: RateLimitClass, subject: string, setHeaders: SetHeaders): Promise<void>;
  /** The same for the calls of a batch, one class each: they are all refused or none. */
  consumeEach(
    kinds: readonly RateLimitClass[],
    subject: string,
    setHeaders: SetHeaders,
  ): Promise<void>;
  /** Counts a refused credential. Throws `rate_limit_error` when an address has had too many. */
  consumeFailure(address: string | undefined): Promise<void>;
}

const MINUTE = 60;
const HOUR = 3600;

/**
 * Counts calls with the processes that share counters, or in the memory of this one. A quota of 0
 * limits nothing. `onRefused` is told the name of a quota that refuses a call.
 */
export function createRateLimits(
  settings: ApiSettings,
  shared?: SharedCounters,
  onRefused: (limit: string) => void = () => {},
): RateLimits {
  const createLimiters = (policies: readonly Policy[]): Limiter[] =>
    policies
      .filter(({ quota }) => quota > 0)
      .map((one) => (shared === undefined ? createLimiter(one) : createSharedLimiter(one, shared)));
  const read = { quota: settings.PARLEY_RATE_READ_PER_MINUTE, windowSeconds: MINUTE };
  const classes: Record<RateLimitClass, Policy[]> = {
    create: [
      { name: "create", quota: settings.PARLEY_RATE_CREATE_PER_MINUTE, windowSeconds: MINUTE },
      { name: "create-hour", quota: settings.PARLEY_RATE_CREATE_PER_HOUR, windowSeconds: HOUR },
    ],
    invoke: [
      { name: "invoke", quota: settings.PARLEY_RATE_INVOKE_PER_MINUTE, windowSeconds: MINUTE },
    ],
    read: [{ name: "read", ...read }],
    stream: [{ name: "stream", ...read }],
    operate: [{ name: "operate", ...read }],
  };
  const limiters = new Map<string, Limiter[]>(
    Object.entries(classes).map(([kind, policies]) => [kind, createLimiters(policies)]),
  );
  const failureLimiters = createLimiters([
    {
      name: "failed-auth",
      quota: settings.PARLEY_RATE_FAILED_AUTH_PER_MINUTE,
      windowSeconds: MINUTE,
    },
  ]);

  const consumeEach: RateLimits["consumeEach"] = async (kinds, subject, setHeaders) => {
    const consumed: Consumed[] = [];
    for (const [kind, calls] of Map.groupBy(kinds, (one) => one)) {
      for (const limiter of limiters.get(kind) ?? []) {
        consumed.push(await limiter.consume(subject, calls.length));
      }
    }
    if (consumed.length === 0) return;
    setHeaders({
      "RateLimit-Policy": consumed.map(({ policy }) => describePolicy(policy)).join(", "),
      RateLimit: consumed.map(describeLeft).join(", "),
    });
    refuse(consumed, onRefused);
  };

  return {
    limits: (kind) => (limiters.get(kind) ?? []).length > 0,
    consume: (kind, subject, setHeaders) => consumeEach([kind], subject, setHeaders),
    consumeEach,
    consumeFailure: async (address) => {
      for (const limiter of failureLimiters) {
        refuse([await limiter.consume(addressGroup(address), 1)], onRefused);
      }
    },
  };
}

/** Throws when a quota was used up: the longest wait counts. */
function refuse(consumed: readonly Consumed[], onRefused: (limit: string) => void): void {
  const refusals = consumed.filter(({ refused }) => refused);
  if (refusals.length === 0) return;
  for (const { policy } of refusals) onRefused(policy.name);
  const waits = refusals.map(({ resetMs }) => resetMs);
  const retryAfterSeconds = Math.max(1, Math.ceil(Math.max(...waits) / 1000));
  throw new ParleyError(
    "rate_limit_error",
    `Too many requests: try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

function describePolicy({ name, quota, windowSeconds }: Policy): string {
  return `"${name}";q=${quota};w=${windowSeconds}`;
}

function describeLeft({ policy, remaining, resetMs }: Consumed): string {
  return `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`;
}
