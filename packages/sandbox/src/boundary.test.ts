import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { findBoundary } from "./boundary.ts";
import { describeConfinements } from "./confinement.ts";
import { awaitReady, startChild } from "./processes/child.ts";

const hasNamespaces =
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;
const why = hasNamespaces ? "" : " (bubblewrap is not installed, or may not make namespaces here)";

it("is the strongest that works", async () => {
  const { boundary } = await findBoundary(undefined);
  expect(boundary).toBe(hasNamespaces ? "namespace" : "process");
});

it("is required, or nothing starts", async () => {
  const found = await findBoundary("namespace").then(
    ({ boundary }) => boundary,
    (error: unknown) => String(error),
  );
  expect(found).toMatch(hasNamespaces ? /^namespace$/ : /bubblewrap/);
});

it.each(["process", "namespace"] as const)("starts processes of the kind %s", async (boundary) => {
  const child = startChild(describeConfinements()[boundary]);
  const started = await awaitReady(child).then(
    () => true,
    () => false,
  );
  expect(started).toBe(boundary === "process" || hasNamespaces);
  child.kill("retired");
  await child.gone;
});

it.runIf(hasNamespaces)(`holds processes in namespaces of their own${why}`, async () => {
  const { namespace } = describeConfinements();
  const at = namespace.arguments.indexOf("--");
  const look = [...namespace.arguments.slice(0, at + 1), "/usr/bin/ls", "/root", "/home", "/proc"];
  const { stdout, stderr } = spawnSync("bwrap", look, { encoding: "utf8" });
  expect(stderr).toContain("/root");
  // Its own processes are all that it sees.
  expect(stdout.split("\n").filter((line) => /^\d+$/.test(line)).length).toBeLessThan(4);
});
