// Adds up what the packages' test runs reported and ends with the one line that CI reads.
import { globSync, readFileSync } from "node:fs";

const reports = globSync("{packages,apps}/*/test-report.json").map(
  (file) =>
    JSON.parse(readFileSync(file, "utf8")) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
      numTodoTests: number;
      numFailedTestSuites: number;
      success: boolean;
    },
);
const sum = (key: "numPassedTests" | "numFailedTests" | "numPendingTests" | "numTodoTests") =>
  reports.reduce((total, report) => total + report[key], 0);
// A file that could not be loaded ran no test, and is a failure all the same.
const broken = reports.filter((report) => !report.success && report.numFailedTests === 0).length;
const failed = sum("numFailedTests") + broken;
const skipped = sum("numPendingTests") + sum("numTodoTests");
process.stdout.write(`${sum("numPassedTests")} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;
