import { createHash } from "node:crypto";
import { MAX_SIMULATED_MS, type SimulatedDuration } from "@parley/schema";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** Numbers of [0, 1), the same for the same state. */
export type Draw = () => number;

/**
 * The state of a generator that depends on everything in `parts` and on nothing else. Each purpose
 * has its own, so that one more step does not change which runs fail.
 */
export function seedState(...parts: readonly string[]): number[] {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest();
  return [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
}

/** Draws from a generator that begins at `state`. */
export function startDraws(state: readonly number[]): Draw {
  const generator = xoroshiro128plusFromState(state);
  return () => uniformFloat64(generator);
}

/** Draws how long something takes, in whole milliseconds. */
export function drawDuration(duration: SimulatedDuration, draw: Draw): number {
  if (typeof duration === "number") return duration;
  const { distribution } = duration;
  if (distribution === "fixed") return duration.valueMs;
  const { minMs = 0, maxMs = MAX_SIMULATED_MS } = duration;
  const drawn = (): number => {
    if (distribution === "uniform") return minMs + draw() * (maxMs - minMs);
    if (distribution === "exponential") return -Math.log(1 - draw()) * duration.meanMs;
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    return distribution === "normal"
      ? duration.meanMs + normal * duration.deviationMs
      : duration.medianMs * Math.exp(normal * duration.sigma);
  };
  return Math.min(maxMs, Math.max(minMs, Math.round(drawn())));
}

/** JSON of a value in which the order of members does not matter. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
