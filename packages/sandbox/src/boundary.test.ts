import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findBoundary } from "./boundary.ts";
import { describeConfinements } from "./confinement.ts";
import { otherUser } from "./other-user.ts";
import { awaitReady, startChild } from "./processes/child.ts";

const hasNamespaces =
  spawnSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"]).status === 0;
const why = hasNamespaces ? "" : " (bubblewrap is not installed, or may not make namespaces here)";

it("is the strongest that works", async () => {
  const { boundary } = await findBoundary(undefined);
  expect(boundary).toBe(hasNamespaces ? "namespace" : "process");
});

it("is looked for once", async () => {
  expect(await findBoundary(undefined)).toBe(await findBoundary(undefined));
});

it("is required, or nothing starts", async () => {
  const found = await findBoundary("namespace").then(
    ({ boundary }) => boundary,
    (error: unknown) => String(error),
  );
  expect(found).toMatch(hasNamespaces ? /^namespace$/ : /bubblewrap/);
});

it.runIf(process.geteuid?.() === 0)("is of a user that nothing else runs as", async () => {
  const user = otherUser();
  expect(user?.uid).toBeGreaterThan(60_000);
  const found = await findBoundary(undefined);
  for (const confinement of [found, describeConfinements(user).process]) {
    expect(confinement.user).toEqual(user);
    const child = startChild(confinement);
    await awaitReady(child);
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    const ids = Array.from({ length: 4 }, () => user?.uid).join("\t");
    expect(status).toContain(`Uid:\t${ids}\nGid:\t${ids}\n`);
    expect(/^Groups:[ \t]*(.*)$/m.exec(status)?.[1]?.trim()).toBe("");
    expect(status).toMatch(/^CapEff:\s*0+$/m);
    child.kill("retired");
    await child.gone;
    expect(child.killed).toBe("retired");
  }
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
