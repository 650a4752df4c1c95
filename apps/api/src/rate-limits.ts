import { ParleyError, type RateLimitClass } from "@parley/schema";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { ApiSettings } from "./config.ts";

/** One limit of a class: `quota` calls in `windowSeconds`. */
interface Policy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

type SetHeaders = (headers: Record<string, string>) => void;

export interface RateLimits {
  /**
   * Counts a call of a class for a subject, and tells `setHeaders` what is left, also when it then
   * throws `rate_limit_error` because a quota is used up.
   */
  consume(kind: RateLimitClass, subject: string, setHeaders: SetHeaders): Promise<void>;
  /** Counts a refused credential. Throws `rate_limit_error` when an address has had too many. */
  consumeFailure(address: string): Promise<void>;
}

const MINUTE = 60;
const HOUR = 3600;

/** Counts calls in the memory of this process. A quota of 0 limits nothing. */
export function createRateLimits(settings: ApiSettings): RateLimits {
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
  const limiters = new Map(
    Object.entries(classes).map(([kind, policies]) => [
      kind,
      policies.filter((policy) => policy.quota > 0).map(createLimiter),
    ]),
  );
  const failures = settings.PARLEY_RATE_FAILED_AUTH_PER_MINUTE;
  const failureLimiter =
    failures > 0
      ? createLimiter({ name: "failed-auth", quota: failures, windowSeconds: MINUTE })
      : undefined;
  return {
    consume: async (kind, subject, setHeaders) => {
      const ofClass = limiters.get(kind) ?? [];
      if (ofClass.length === 0) return;
      const left: string[] = [];
      const refusals: RateLimiterRes[] = [];
      for (const { policy, limiter } of ofClass) {
        const { state, refused } = await consume(limiter, subject);
        left.push(describeLeft(policy, state));
        if (refused) refusals.push(state);
      }
      const policies = ofClass.map(({ policy }) => describePolicy(policy));
      setHeaders({ "RateLimit-Policy": policies.join(", "), RateLimit: left.join(", ") });
      refuse(refusals);
    },
    consumeFailure: async (address) => {
      if (failureLimiter === undefined) return;
      const { state, refused } = await consume(failureLimiter.limiter, address);
      if (refused) refuse([state]);
    },
  };
}

function createLimiter(policy: Policy): { policy: Policy; limiter: RateLimiterMemory } {
  const { name, quota, windowSeconds } = policy;
  const limiter = new RateLimiterMemory({
    keyPrefix: name,
    points: quota,
    duration: windowSeconds,
  });
  return { policy, limiter };
}

async function consume(
  limiter: RateLimiterMemory,
  subject: string,
): Promise<{ state: RateLimiterRes; refused: boolean }> {
  try {
    return { state: await limiter.consume(subject), refused: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { state: refusal, refused: true };
  }
}

/** Throws when there are refusals: the longest wait counts. */
function refuse(refusals: readonly RateLimiterRes[]): void {
  if (refusals.length === 0) return;
  const waitMs = Math.max(...refusals.map((refusal) => refusal.msBeforeNext));
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new ParleyError(
    "rate_limit_error",
    `Too many requests: try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

function describePolicy({ name, quota, windowSeconds }: Policy): string {
  return `"${name}";q=${quota};w=${windowSeconds}`;
}

function describeLeft({ name }: Policy, left: RateLimiterRes): string {
  return `"${name}";r=${left.remainingPoints};t=${Math.ceil(left.msBeforeNext / 1000)}`;
}
