import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { KindName } from "./kinds.ts";
import type { Counts } from "./results.ts";

/** A release stands on results that are at most this old. */
const MAX_AGE_DAYS = 7;

/** A part of a nightly run: files of tests at their whole sizes, or places of a package that are broken. */
export type Part =
  | { readonly name: string; readonly kind: KindName }
  | { readonly name: string; readonly mutated: string; readonly places: number };

/** In the order in which they run. */
export const parts: readonly Part[] = [
  { name: "properties", kind: "properties" },
  { name: "whole", kind: "whole" },
  { name: "golden", kind: "golden" },
  { name: "fuzz", kind: "fuzz" },
  { name: "faults", kind: "faults" },
  { name: "attacks", kind: "attacks" },
  { name: "mutation-core", mutated: "packages/core", places: 6 },
  { name: "mutation-cli", mutated: "apps/cli", places: 2 },
  { name: "mutation-server", mutated: "apps/server", places: 1 },
  { name: "mutation-console", mutated: "apps/console", places: 3 },
];

/** What came of a part. */
export interface PartResult {
  /** The hash of the tree that was tested. */
  readonly tree: string;
  readonly part: string;
  readonly seed: number;
  /** When it ended, in ISO 8601. */
  readonly date: string;
  readonly seconds: number;
  readonly isGreen: boolean;
  /** Of tests; a part that breaks places has none. */
  readonly counts?: Counts;
}

const fileOf = (root: string, tree: string, part: string): string =>
  path.join(root, ".nightly", tree, `${part}.json`);

export function readResult(root: string, tree: string, part: string): PartResult | undefined {
  const file = fileOf(root, tree, part);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as PartResult) : undefined;
}

export function writeResult(root: string, result: PartResult): void {
  const file = fileOf(root, result.tree, result.part);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Why the nightly run of a tree is no ground for a release: a line for each part without a green, new result. */
export function findMissing(root: string, tree: string, now: Date): string[] {
  return parts.flatMap(({ name }) => {
    const result = readResult(root, tree, name);
    const again = `pnpm test:nightly ${name}`;
    if (result === undefined) return [`${name} was not run on this tree: ${again}`];
    if (!result.isGreen) return [`${name} failed on this tree: ${again}`];
    const days = (now.getTime() - Date.parse(result.date)) / 86_400_000;
    return days > MAX_AGE_DAYS
      ? [`${name} ran ${Math.floor(days)} days ago, at most ${MAX_AGE_DAYS} are allowed: ${again}`]
      : [];
  });
}
