// Breaks places of a package, one after the other, and runs tests until one fails:
// `node .ci/mutate.ts <folder of the package> [number of places] [seed] [near]`. Prints each place and what noticed it;
// with `near`, only tests that are near the place run. Fails when fewer than half were noticed: single places may change
// nothing that anybody could see.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { KIND_VARIABLE, type KindName, REPORT_VARIABLE } from "./kinds.ts";
import { readReport, WHOLE_FILE } from "./results.ts";

const [folder = "", count = "30", seed = "1", extent = "all"] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, "..");
const RUN_MS = 1_200_000;

/** A run of tests that may notice. */
interface Run {
  readonly kind: KindName;
  readonly words: readonly string[];
}

/** Where what a package does shows, beside its own tests. */
const shows: Readonly<Record<string, readonly string[]>> = {
  "apps/cli": ["apps/e2e/cli/", "apps/e2e/functions-cli/"],
  "apps/server": ["apps/e2e/cli/", "apps/e2e/start/"],
  "apps/console": ["apps/e2e/console/"],
};

/** The runs that may notice a change of a file, the quickest first. */
function runsFor(file: string): readonly Run[] {
  const room = path.dirname(file);
  const folders = shows[folder] ?? [];
  const named = ["apps/e2e/", ...folders].map((one) => `${one}${path.basename(room)}`);
  const near: readonly Run[] = [
    { kind: "full", words: [`${room}/`] },
    { kind: "test", words: ["related", file, "--project=!a server*"] },
    { kind: "full", words: named },
  ];
  if (extent === "near") return near;
  const farther = folders.length === 0 ? [] : [{ kind: "full", words: folders } as const];
  return [...near, ...farther, { kind: "full", words: [] }];
}

/** What is broken, and how. */
const breaks: readonly (readonly [find: RegExp, replace: string])[] = [
  [/ === /g, " !== "],
  [/ !== /g, " === "],
  [/ < /g, " <= "],
  [/ > /g, " >= "],
  [/ && /g, " || "],
  [/ \|\| /g, " && "],
  [/ \?\? /g, " && "],
  [/ \+ 1\b/g, " + 2"],
  [/ - 1\b/g, " - 0"],
  [/\btrue\b/g, "false"],
  [/ and /g, " or "],
  [/ order by /g, " order by 1 desc, "],
  [/ limit /g, " limit 1 + "],
];

interface Place {
  readonly file: string;
  readonly at: number;
  readonly found: string;
  readonly replace: string;
}

/** Every place that could be broken: in code, not in comments, types or imports. */
function findPlaces(): Place[] {
  const files = globSync(`${folder}/src/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ["**/*.test.{ts,tsx}", "**/index.ts"],
  });
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    const lineAt = (at: number): string =>
      text.slice(text.lastIndexOf("\n", at) + 1, text.indexOf("\n", at));
    return breaks.flatMap(([find, replace]) =>
      [...text.matchAll(find)]
        .map(({ 0: found, index: at }) => ({ file, at, found, replace }))
        .filter(
          ({ at }) => !/^\s*(?:\*|\/\/|\/\*|import|export type|readonly|throw)/.test(lineAt(at)),
        ),
    );
  });
}

/** Picks places evenly, from one that the seed decides. */
function pick(places: readonly Place[], wanted: number): Place[] {
  const step = places.length / wanted;
  const first = (Number(seed) * 7919) % step;
  return Array.from({ length: wanted }, (_, nth) => places[Math.floor(first + nth * step)]!);
}

/** The first test that fails, or undefined. */
function findFailure({ kind, words }: Run): string | undefined {
  const temporary = mkdtempSync(path.join(os.tmpdir(), "parley-mutation-"));
  const report = path.join(temporary, "report.json");
  try {
    const env = { ...process.env, [KIND_VARIABLE]: kind, [REPORT_VARIABLE]: report };
    const options = { cwd: root, env, timeout: RUN_MS, stdio: "ignore" } as const;
    const { status } = spawnSync("vitest", [...words, "--run", "--bail=1"], options);
    if (status === 0) return undefined;
    const failures = [...readReport(report)].flatMap(([file, result]) =>
      result.failures.map(({ test }) => ({ file, test })),
    );
    // Files that the end of the run leaves out have failed as a whole.
    const failure = failures.find(({ test }) => test !== WHOLE_FILE) ?? failures[0];
    return failure === undefined ? "the run" : `${failure.file} > ${failure.test}`;
  } catch {
    return "the run";
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

const places = findPlaces();
if (places.length === 0) throw new Error(`Name the folder of a package, such as packages/core`);
let noticed = 0;
for (const { file, at, found, replace } of pick(places, Number(count))) {
  const whole = path.join(root, file);
  const text = readFileSync(whole, "utf8");
  const line = text.slice(0, at).split("\n").length;
  writeFileSync(whole, text.slice(0, at) + replace + text.slice(at + found.length));
  try {
    const [failure] = runsFor(file)
      .values()
      .map(findFailure)
      .filter((failed) => failed !== undefined);
    if (failure !== undefined) noticed++;
    const place = `${file}:${line} "${found.trim()}" as "${replace.trim()}"`;
    process.stdout.write(
      `${failure === undefined ? "✗" : "✓"} ${place}: ${failure ?? "unnoticed"}\n`,
    );
  } finally {
    writeFileSync(whole, text);
  }
}
process.stdout.write(`${noticed} of ${count} were noticed\n`);
process.exitCode = noticed < Number(count) / 2 ? 1 : 0;
