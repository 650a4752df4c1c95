// Used in threads too: it imports no package of the workspace.
import { createHash, type Hash } from "node:crypto";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** Numbers of [0, 1), the same for the same state. */
export type Draw = () => number;

/** Initial state of a random generator, for each purpose its own. */
export type SeedState = (purpose: string) => number[];

/**
 * The states of a run depend on its seed, its input and the purpose only, so that one more step does
 * not change which runs fail. The input is read when the first state is needed.
 */
export function seedRun(seed: string, input: () => unknown): SeedState {
  let prefix: Hash | undefined;
  return (purpose) => {
    // The digest of `JSON.stringify([seed, input, purpose])`; the input is digested once.
    prefix ??= createHash("sha256")
      .update(`[${JSON.stringify(seed)},${JSON.stringify(canonicalJson(input()))},`)
      .copy();
    const digest = prefix
      .copy()
      .update(`${JSON.stringify(purpose)}]`)
      .digest();
    return [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
  };
}

/** Draws from a generator with the initial `state`. */
export function startDraws(state: readonly number[]): Draw {
  const generator = xoroshiro128plusFromState(state);
  return () => uniformFloat64(generator);
}

/** Equal for values that differ only in the order of members. */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64");
}

/** JSON of a value with its members in a fixed order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
