// Counts what is written to be run: `node .ci/count-lines.ts [--by-folder]`. TypeScript of apps and packages, without
// tests, their support, declarations and what is built.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const left = [
  "/node_modules/",
  "/dist/",
  "/testing/",
  "/hostile/",
  "conformance",
  ".test.",
  ".d.ts",
];

const files = globSync("{apps,packages}/**/*.{ts,tsx}", { cwd: root }).filter(
  (file) => !file.startsWith("apps/e2e/") && left.every((part) => !`/${file}`.includes(part)),
);
const linesOf = (file: string): number =>
  readFileSync(path.join(root, file), "utf8").split("\n").length - 1;
const sum = (of: readonly string[]): number => of.reduce((all, file) => all + linesOf(file), 0);

if (process.argv.includes("--by-folder")) {
  const byFolder = Object.groupBy(files, (file) => file.split("/").slice(0, 2).join("/"));
  for (const [folder, its] of Object.entries(byFolder).toSorted(([one], [other]) =>
    one.localeCompare(other),
  )) {
    console.log(
      `${folder.padEnd(28)} ${String(sum(its!)).padStart(6)} lines ${String(its!.length).padStart(5)} files`,
    );
  }
}
console.log(`${sum(files)} lines in ${files.length} files`);
