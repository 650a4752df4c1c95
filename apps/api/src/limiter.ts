import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** A flood of new subjects costs the counters of those that were quiet longest, and no memory. */
const MAX_SUBJECTS = 100_000;

/** One limit: `quota` points in `windowSeconds`. */
export interface Policy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** What a subject has left of a policy. */
export interface Consumed {
  readonly policy: Policy;
  readonly remaining: number;
  /** When the quota is full again. */
  readonly resetMs: number;
  /** Whether the quota was used up already. */
  readonly refused: boolean;
}

export interface Limiter {
  /** Takes points from what a subject has left; a refused call counts too. */
  consume(subject: string, points: number): Promise<Consumed>;
}

/** Counts in the memory of this process, for at most `maxSubjects` at a time. */
export function createLimiter(policy: Policy, maxSubjects = MAX_SUBJECTS): Limiter {
  const { name, quota, windowSeconds } = policy;
  const counters = new RateLimiterMemory({
    keyPrefix: name,
    points: quota,
    duration: windowSeconds,
  });
  // In the order of their last call.
  const subjects = new Set<string>();

  const remember = async (subject: string): Promise<void> => {
    subjects.delete(subject);
    subjects.add(subject);
    if (subjects.size <= maxSubjects) return;
    const [quietest = subject] = subjects;
    subjects.delete(quietest);
    await counters.delete(quietest);
  };

  return {
    consume: async (subject, points) => {
      await remember(subject);
      const { state, refused } = await take(counters, subject, points);
      const { remainingPoints: remaining, msBeforeNext: resetMs } = state;
      return { policy, remaining, resetMs, refused };
    },
  };
}

/** Takes points of a library's counter. Throws where the counter cannot be reached. */
export async function take(
  counters: RateLimiterAbstract,
  subject: string,
  points: number,
): Promise<{ state: RateLimiterRes; refused: boolean }> {
  try {
    return { state: await counters.consume(subject, points), refused: false };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { state: refusal, refused: true };
  }
}
