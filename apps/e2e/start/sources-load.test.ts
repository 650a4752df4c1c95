import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import config from "../../cli/rolldown.config.ts";
import { root } from "../server.ts";

// In a run of tests, threads and processes load the modules of the build. From a clone they load the sources: there, only types
// are stripped, and no package of the workspace is found.

const modules = Object.entries(config.input as Record<string, string>).filter(
  ([name]) => name !== "parley",
);

test.for(modules)("%s loads from its sources", ([, source]) => {
  const file = path.resolve(root, "apps/cli", source);
  // Without the condition by which packages of the workspace are sources; an entry has an empty question.
  const { stderr } = spawnSync(process.execPath, ["--import", file, "--eval", "0"], { input: "" });
  expect(String(stderr)).not.toContain("ERR_");
});
