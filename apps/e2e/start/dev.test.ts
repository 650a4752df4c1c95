import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { endWithThisProcess } from "../programs.ts";
import { createPlace, eventually, root, settingsFor, within } from "../server.ts";

// Starts servers of its own: what is tested is how their sources are loaded, and loaded again.

test("dev serves from the sources, again when one of them changes, until Ctrl-C", async () => {
  await using place = await createPlace();
  const manifest = await readFile(path.join(root, "package.json"), "utf8");
  const { scripts } = JSON.parse(manifest) as { scripts: { dev: string } };
  const child = spawn(`exec ${scripts.dev}`, {
    cwd: root,
    shell: true,
    env: { PATH: `${path.join(root, "node_modules/.bin")}:/usr/bin:/bin`, ...settingsFor(place) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithThisProcess(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const countStarts = () => printed.split("Parley listens on ").length - 1;
  const started = async (count: number) =>
    eventually(async () => (countStarts() === count ? { value: true } : {}), 60_000).catch(
      (cause: unknown) => Promise.reject(new Error(printed, { cause })),
    );
  await started(1);
  let touchedAt = Number.NEGATIVE_INFINITY;
  await eventually(async () => {
    // What tsx does not watch yet, it does not see change; and it waits until changes end.
    if (performance.now() - touchedAt > 2000) {
      await utimes(path.join(root, "packages/rpc/src/router.ts"), new Date(), new Date());
      touchedAt = performance.now();
    }
    return printed.includes("Restarting...") ? { value: true } : {};
  }, 60_000);
  await started(2);
  child.kill("SIGINT");
  await within(30_000, once(child, "close"));
  expect(countStarts()).toBe(2);
});
