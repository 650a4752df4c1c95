import { ParleyError, type RateLimitClass } from "@parley/schema";
import { LRUCache } from "lru-cache";
import type { ApiSettings } from "../config.ts";
import { clientIpGroup } from "./client-ip-group.ts";
import { type Consumed, createLimiter, type Policy } from "./memory-limiter.ts";
import { callerName, type Payer } from "./payer.ts";
import { createSharedLimiter, type SharedCounters } from "./redis-limiter.ts";

type SetHeaders = (headers: Record<string, string>) => void;

const MINUTE = 60;
const HOUR = 3600;
/** Events that cannot show yet whose they are, as a multiple of those of a trigger. */
const UNPROVEN_FACTOR = 10;
/** Client IPs with too many refused credentials that are remembered. */
const MAX_FAILING = 10_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

/**
 * Counts calls in the shared counters, or in the memory of this process. A quota of 0 limits nothing.
 * `onRefused` is called with the name of each quota that refuses a call.
 */
export function createRateLimits(
  settings: ApiSettings,
  shared?: SharedCounters,
  onRefused: (limit: string) => void = () => {},
) {
  const limiter = shared === undefined ? createLimiter() : createSharedLimiter(shared);
  const factor = settings.PARLEY_RATE_WORKSPACE_FACTOR;
  const divisor = settings.PARLEY_RATE_USER_DIVISOR;
  const limitOf = (name: string, quota: number, windowSeconds = MINUTE): Policy[] =>
    quota === 0 ? [] : [{ name, quota, windowSeconds }];
  const ofWorkspace = ({ name, quota, windowSeconds }: Policy): Policy => {
    return { name: `${name}-workspace`, quota: quota * factor, windowSeconds };
  };
  const ofUser = ({ name, quota, windowSeconds }: Policy): Policy => {
    return { name: `${name}-user`, quota: Math.max(1, Math.floor(quota / divisor)), windowSeconds };
  };
  const reads = settings.PARLEY_RATE_READ_PER_MINUTE;
  const classes: Record<RateLimitClass, Policy[]> = {
    create: [
      ...limitOf("create", settings.PARLEY_RATE_CREATE_PER_MINUTE),
      ...limitOf("create-hour", settings.PARLEY_RATE_CREATE_PER_HOUR, HOUR),
    ],
    invoke: limitOf("invoke", settings.PARLEY_RATE_INVOKE_PER_MINUTE),
    read: limitOf("read", reads),
    stream: limitOf("stream", reads),
    operate: limitOf("operate", reads),
  };
  const failures = limitOf("failed-auth", settings.PARLEY_RATE_FAILED_AUTH_PER_MINUTE);
  const failing = new LRUCache<string, true>({ max: MAX_FAILING });
  const visits = limitOf("visit", settings.PARLEY_RATE_FAILED_AUTH_PER_MINUTE);

  const eventsOfWorkspace = limitOf("event-workspace", settings.PARLEY_RATE_EVENTS_PER_MINUTE);

  /** What calls take of a key's quotas, its workspace's and its user's, and which of it is the caller's own. */
  const chargesOf = (kinds: readonly RateLimitClass[], payer: Payer) => {
    const { keyId, userId, workspaceId } = payer;
    const ofKey = [...Map.groupBy(kinds, (kind) => kind)].flatMap(([kind, { length: points }]) =>
      classes[kind].map((policy) => ({ policy, subject: keyId, points })),
    );
    const isOfUser = userId !== undefined && divisor > 0;
    const own = isOfUser
      ? ofKey.map(({ policy, points }) => {
          return { policy: ofUser(policy), subject: callerName(payer), points };
        })
      : ofKey;
    const charges = isOfUser ? [...own, ...ofKey] : [...ofKey];
    if (workspaceId !== undefined && factor > 0) {
      for (const { policy, points } of ofKey) {
        charges.push({ policy: ofWorkspace(policy), subject: workspaceId, points });
      }
    }
    return { own, charges, isOfUser };
  };

  /**
   * Counts calls of these classes for a key and its workspace, and for the user of a token, and calls
   * `setHeaders` with what is left, for a user only of the user's own, also when it then throws `rate_limit_error` because a quota is used up. Refused calls count
   * against the minute that refused them, and against nothing else.
   */
  const consumeEach = async (
    kinds: readonly RateLimitClass[],
    payer: Payer,
    setHeaders: SetHeaders,
  ): Promise<void> => {
    const { own, charges, isOfUser } = chargesOf(kinds, payer);
    if (charges.length === 0) return;
    const consumed = await limiter.consume(charges);
    const left = consumed.slice(0, own.length);
    const binding = isOfUser
      ? []
      : consumed
          .slice(own.length)
          .filter(({ remaining }, index) => remaining < left[index]!.remaining);
    setHeaders(describe([...left, ...binding]));
    refuse(consumed, onRefused);
  };

  const consumeOfClient = async (
    policies: readonly Policy[],
    clientIp: string | undefined,
  ): Promise<void> => {
    if (policies.length === 0) return;
    const subject = clientIpGroup(clientIp);
    const charges = policies.map((policy) => ({ policy, subject, points: 1 }));
    refuse(await limiter.consume(charges), onRefused);
  };

  return {
    consumeEach,
    /** The same for a single call. */
    consume: (kind: RateLimitClass, payer: Payer, setHeaders: SetHeaders): Promise<void> =>
      consumeEach([kind], payer, setHeaders),
    /**
     * Counts what a call has cost beside itself, as so many calls. It refuses nothing; later calls are
     * refused earlier.
     */
    spend: async (kind: RateLimitClass, payer: Payer, calls: number): Promise<void> => {
      const kinds = Array.from({ length: calls }, () => kind);
      await limiter.consume(chargesOf(kinds, payer).charges);
    },
    /** Counts a refused credential. Throws `rate_limit_error` when a client IP has had too many. */
    consumeFailure: async (clientIp: string | undefined): Promise<void> => {
      try {
        await consumeOfClient(failures, clientIp);
      } catch (error) {
        if (error instanceof ParleyError) {
          const ttl = 1000 * (error.retryAfterSeconds ?? 1);
          failing.set(clientIpGroup(clientIp), true, { ttl });
        }
        throw error;
      }
    },
    /** Whether a client IP has lately had too many refused credentials, as this process knows. */
    failsOften: (clientIp: string | undefined): boolean => failing.has(clientIpGroup(clientIp)),
    /**
     * Counts an event that a trigger receives, and one that has yet to prove whose it is: these are more, so that a stranger
     * cannot use up the limit of the others. Throws `rate_limit_error`.
     */
    consumeEvent: async (
      {
        sid,
        workspaceSid,
        eventsPerMinute,
      }: { sid: string; workspaceSid: string; eventsPerMinute: number },
      proof: "proven" | "unproven",
    ): Promise<void> => {
      const isProven = proof === "proven";
      const ofTrigger = isProven
        ? limitOf("event", eventsPerMinute)
        : limitOf("event-unproven", eventsPerMinute * UNPROVEN_FACTOR);
      const charges = [
        ...ofTrigger.map((policy) => ({ policy, subject: sid, points: 1 })),
        ...(isProven ? eventsOfWorkspace : []).map((policy) => {
          return { policy, subject: workspaceSid, points: 1 };
        }),
      ];
      refuse(await limiter.consume(charges), onRefused);
    },
    /** Counts a visit of a page that asks for no key. Throws as `consumeFailure`. */
    consumeVisit: (clientIp: string | undefined) => consumeOfClient(visits, clientIp),
  };
}

/** Throws `rate_limit_error` when a quota is used up, with the longest wait. */
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

function describe(consumed: readonly Consumed[]): Record<string, string> {
  const limits = consumed.map(
    ({ policy: { name, quota, windowSeconds } }) => `"${name}";q=${quota};w=${windowSeconds}`,
  );
  const left = consumed.map(
    ({ policy, remaining, resetMs }) =>
      `"${policy.name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  );
  return { "RateLimit-Policy": limits.join(", "), RateLimit: left.join(", ") };
}
