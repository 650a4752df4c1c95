// The task of Turbo that owns a kind of tests, `node run-kind.ts test`: it runs those of the packages that have
// changed, and leaves what came of all as `dist/test.json`, which Turbo keeps while nothing changes.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { kinds, type KindName } from "./kinds.ts";
import { resultsOf } from "./results.ts";
import { runKind } from "./run-tests.ts";

const name = process.argv[2] ?? "";
if (!(name in kinds)) throw new Error(`No kind of tests is called ${name}`);
process.chdir(path.resolve(import.meta.dirname, ".."));
const counts = await runKind(name as KindName);
const file = resultsOf(name);
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
