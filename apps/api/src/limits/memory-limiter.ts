/** Beyond so many subjects, those with the oldest calls are dropped. */
const MAX_SUBJECTS = 100_000;
/** Longest window in which a refused call counts. */
export const SHORT_WINDOW_SECONDS = 60;

/** One limit: `quota` points in `windowSeconds`. */
export interface Policy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Points that a call takes from a subject's quota. */
export interface Charge {
  readonly policy: Policy;
  readonly subject: string;
  readonly points: number;
}

/** What a subject has left of a quota. */
export interface Consumed {
  readonly policy: Policy;
  readonly remaining: number;
  /** Time until the quota is full again. */
  readonly resetMs: number;
  /** Whether less was left than the charge. */
  readonly refused: boolean;
}

export interface Limiter {
  /**
   * Takes the points of all charges, or of none if one is refused; only the first refused one
   * counts, and only in a short window. Returns one result for each charge.
   */
  consume(charges: readonly Charge[]): Promise<readonly Consumed[]>;
}

interface Counter {
  used: number;
  readonly endsAt: number;
}

/** Counts in the memory of this process, for at most `maxSubjects` of each policy at a time. */
export function createLimiter(maxSubjects = MAX_SUBJECTS): Limiter {
  // The subjects of each policy, ordered by their last call.
  const policies = new Map<string, Map<string, Counter>>();

  const counterOf = ({ policy, subject }: Charge, now: number): Counter => {
    const counters = policies.getOrInsertComputed(policy.name, () => new Map<string, Counter>());
    const last = counters.get(subject);
    const counter =
      last !== undefined && last.endsAt > now
        ? last
        : { used: 0, endsAt: now + policy.windowSeconds * 1000 };
    counters.delete(subject);
    counters.set(subject, counter);
    for (const [quietest, { endsAt }] of counters) {
      if (counters.size <= maxSubjects && endsAt > now) break;
      counters.delete(quietest);
    }
    return counter;
  };

  return {
    consume: async (charges) => {
      // Rounded: a fraction could make a window appear a second longer.
      const now = Math.floor(performance.now());
      const counters = charges.map((charge) => counterOf(charge, now));
      const before = counters.map(({ used }) => used);
      const charged = chargedOf(charges, before);
      for (const index of charged) counters[index]!.used += charges[index]!.points;
      return charges.map((charge, index) => {
        const { used, endsAt } = counters[index]!;
        return describe(charge, { before: before[index]!, after: used, resetMs: endsAt - now });
      });
    },
  };
}

/** Indexes of the charges that count, given what was used of each before. */
function chargedOf(charges: readonly Charge[], before: readonly number[]): number[] {
  const refused = charges.findIndex(
    ({ policy, points }, index) => before[index]! + points > policy.quota,
  );
  if (refused === -1) return charges.map((_, index) => index);
  return charges[refused]!.policy.windowSeconds <= SHORT_WINDOW_SECONDS ? [refused] : [];
}

/** The result of a charge, given what was used of its policy before and after. */
export function describe(
  { policy, points }: Charge,
  { before, after, resetMs }: { before: number; after: number; resetMs: number },
): Consumed {
  return {
    policy,
    remaining: Math.max(0, policy.quota - after),
    resetMs,
    refused: before + points > policy.quota,
  };
}
