// Runs the tests of every package, cached where nothing changed, and ends with their true totals.
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";

const full = process.argv.includes("--full");
// A report that is left over from another run must not be counted.
for (const file of globSync("{packages,apps}/*/test-report.json")) rmSync(file);
const tasks = full ? ["//#format", "//#lint", "//#types", "//#knip", "build", "test"] : ["test"];
const run = spawnSync("turbo", ["run", ...tasks, "--continue", "--output-logs=errors-only"], {
  stdio: "inherit",
  env: { ...process.env, ...(full && { PARLEY_TEST_FULL: "1" }) },
});
const count = spawnSync(process.execPath, [".ci/count-tests.ts"], { stdio: "inherit" });
process.exitCode = run.status !== 0 || count.status !== 0 ? 1 : 0;
