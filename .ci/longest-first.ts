import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { longest } from "./kinds.ts";

const root = path.resolve(import.meta.dirname, "..");

/**
 * The order of Vitest (what lasted longest in the run before; in a fresh clone the largest file), but that the files that are
 * known to last longest are first, whatever their project: one that begins last is waited for by workers with nothing to do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.indexOf(path.relative(root, moduleId));
      return rank === -1 ? longest.length : rank;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
