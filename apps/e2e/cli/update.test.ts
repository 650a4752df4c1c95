import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { readVersion } from "parley-server";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "./run-cli.ts";
import { openUser } from "./user.ts";

const TOKEN = "npm_not-logged-token";
const notes = { "9.1.0": "- Agents sing", "9.0.0": "- Agents dance" };

/** A registry with these releases, or a status, whose URL is in the user's npm configuration with a token. */
async function openRegistry(releases: readonly string[], status = 200) {
  const { home } = await openUser();
  const asked: (string | undefined)[] = [];
  const versions = Object.fromEntries(
    releases.map((version) => {
      const releaseNotes = notes[version as keyof typeof notes];
      return [version, { name: "parley-server", version, releaseNotes }];
    }),
  );
  const packument = { name: "parley-server", versions, "dist-tags": { latest: releases.at(-1) } };
  const registry = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`, request.headers.authorization);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? packument : { error: `no, ${TOKEN}` }));
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo;
  const npmrc = path.join(home, ".npmrc");
  const host = `127.0.0.1:${port}/`;
  await writeFile(npmrc, `registry=http://${host}\n//${host}:_authToken=${TOKEN}\n`);
  const environment: Readonly<Record<string, string>> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    npm_config_userconfig: npmrc,
    npm_config_cache: path.join(home, "cache"),
  };
  const update = async (...args: string[]) => {
    const ran = await runCli(["update", ...args], { environment, cwd: home });
    expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
    return ran;
  };
  return { asked, update, close: () => registry.close() };
}

test("says which version is out and what is new since this one, and installs nothing", async () => {
  const { asked, update } = await openRegistry(["0.0.1", readVersion(), "9.0.0", "9.1.0"]);
  const { code, stdout, stderr } = await update();
  expect([code, stdout]).toEqual([
    0,
    `parley 9.1.0 is available; this is ${readVersion()}\n\n9.1.0\n- Agents sing\n\n9.0.0\n- Agents dance\n`,
  ]);
  expect(stderr).toBe(
    "Nothing was installed: npm install --global parley-server@9.1.0 does that\n",
  );
  // The registry of the user's configuration was asked for the package alone, with its token.
  expect(asked).toEqual(["GET /parley-server", `Bearer ${TOKEN}`]);
  const json = JSON.parse((await update("--json")).stdout) as object;
  expect(json).toMatchObject({
    current: readVersion(),
    newest: "9.1.0",
    newer: [{ version: "9.1.0", releaseNotes: "- Agents sing" }, { version: "9.0.0" }],
  });
});

test("says that this is the newest version, also of the only one", async () => {
  for (const releases of [["0.0.1", readVersion()], ["0.0.1"]]) {
    const { update } = await openRegistry(releases);
    const { code, stdout, stderr } = await update();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`parley ${readVersion()} is the newest version\n`);
  }
});

test.for([
  [401, "parley: The registry refuses your credentials: see npm login\n"],
  [404, "parley: The registry has no package parley-server: see npm config get registry\n"],
  [500, "parley: The registry cannot be asked (E500): see npm config get registry\n"],
] as const)("a registry that answers %i is explained in one sentence", async ([status, said]) => {
  const { update } = await openRegistry([], status);
  const { code, stdout, stderr } = await update();
  expect([code, stdout, stderr]).toEqual([1, "", said]);
});

test("a registry that is gone is explained in one sentence", async () => {
  const { update, close } = await openRegistry([]);
  close();
  const { code, stderr } = await update();
  expect([code, stderr]).toEqual([
    1,
    "parley: The registry cannot be asked (ECONNREFUSED): see npm config get registry\n",
  ]);
});
