import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { startProgram, within } from "../server.ts";

// What a folder that somebody else made may do to a command that is run in it.

const SHELL = { PARLEY_API_KEY: "sk-of-the-shell", PARLEY_WORKSPACE: "w" };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "parley-stranger-"));
});
afterEach(() => rm(folder, { recursive: true }));

const writeSettings = async (...lines: readonly string[]): Promise<void> =>
  writeFile(path.join(folder, ".env"), `${lines.join("\n")}\n`);

const run = async (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  runCli(args, { environment, cwd: folder });

describe("a command that calls a server", () => {
  test("sends no key to a server that .env names", async () => {
    const requests: string[] = [];
    const stranger = createServer((request, response) => {
      requests.push(String(request.headers.authorization));
      response.end();
    }).listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const { port } = stranger.address() as AddressInfo;
    await writeSettings(`PARLEY_URL=http://127.0.0.1:${port}`);
    const { code, stderr } = await run(["functions", "list"], SHELL);
    stranger.close();
    expect(requests).toEqual([]);
    expect([code, stderr]).toEqual([1, "parley: PARLEY_API_KEY is set, but PARLEY_URL is not\n"]);
  });

  test("reads no other setting of .env either, and minds no fault of it", async () => {
    await writeSettings("PARLEY_PROFILE=theirs", "PARLEY_PROT=1", "no assignment");
    const { stderr } = await run(["functions", "list"], { HOME: folder });
    expect(stderr).toMatch(/^parley: No server is configured: /);
  });
});

describe("Git", () => {
  const sources = {
    "a path of programs": () => [`GIT_EXEC_PATH=${folder}/bin`],
    "a setting": () => [
      "GIT_CONFIG_COUNT=1",
      "GIT_CONFIG_KEY_0=core.sshCommand",
      `GIT_CONFIG_VALUE_0=${folder}/bin/git-remote-https`,
    ],
    "a path of all programs": () => [`PATH=${folder}/bin:/usr/bin:/bin`],
  };
  test.for(Object.entries(sources))("runs nothing that .env names by %s", async ([, lines]) => {
    await plantPrograms();
    await writeSettings(...lines());
    await validate({ PATH: "/usr/bin:/bin" });
    expect(await readdir(path.join(folder, "ran"))).toEqual([]);
  });

  test("gets no setting of the shell that runs a program", async () => {
    await plantPrograms();
    await validate({ PATH: "/usr/bin:/bin", GIT_EXEC_PATH: `${folder}/bin` });
    expect(await readdir(path.join(folder, "ran"))).toEqual([]);
    // The programs that were planted work.
    await validate({ PATH: `${folder}/bin:/usr/bin:/bin` });
    expect(await readdir(path.join(folder, "ran"))).toContain("git");
  });

  async function plantPrograms(): Promise<void> {
    await mkdir(path.join(folder, "bin"));
    await mkdir(path.join(folder, "ran"));
    for (const name of ["git", "git-init", "git-remote-https", "ssh"]) {
      const file = path.join(folder, "bin", name);
      await writeFile(file, `#!/bin/sh\n: > ${folder}/ran/${name}\nexit 1\n`);
      await chmod(file, 0o755);
    }
  }

  const validate = async (settings: Readonly<Record<string, string>>) =>
    run(["skills", "validate", "https://127.0.0.1:1/shop.git"], settings);
});

test("a command of the server reads its own settings of .env, and no name of other programs", async () => {
  const foreign = ["NODE_TLS_REJECT_UNAUTHORIZED=0", "LD_PRELOAD=/nowhere.so", "PGOPTIONS=-cx=y"];
  await writeSettings(...foreign, "DATABASE_URL=postgres://root@127.0.0.1:1/nothing");
  const program = startProgram(["migrate"], {}, { cwd: folder });
  expect(await within(30_000, program.exited)).toBe(1);
  const { stderr } = program.output;
  expect(stderr).toContain("connect ECONNREFUSED 127.0.0.1:1");
  // Node warns once it sees this name.
  expect(stderr).not.toContain("NODE_TLS_REJECT_UNAUTHORIZED");
});
