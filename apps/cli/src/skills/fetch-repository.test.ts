import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openMemoryIo } from "@parley/command/testing";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { fetchRepository } from "./fetch-repository.ts";
import { parseGitUrl } from "./git-url.ts";

const MIB = 1_048_576;
const { io } = openMemoryIo();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "parley-bombs-"));
  // Others fetch repositories at the same time.
  mkdirSync(path.join(folder, ".tmp"));
  vi.stubEnv("TMPDIR", path.join(folder, ".tmp"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@t.test", ...args]);
  git("init", "--quiet", "--initial-branch=main");
  // One object of nothing but zeros, under many names: some kilobytes to fetch.
  for (let index = 0; index < 40; index++) {
    mkdirSync(path.join(folder, `skill-${index}`));
    writeFileSync(path.join(folder, `skill-${index}`, "zeros"), Buffer.alloc(2 * MIB));
  }
  git("add", "skill-*");
  git("commit", "--quiet", "--message=bomb");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it.each([
  ["a disk", { diskBytes: 16 * MIB }, "needs more than 16 MiB on disk"],
  ["time", { timeoutMs: 1 }, "took longer than 1 ms"],
])(
  "ends Git if a repository takes too much of %s, and leaves nothing",
  async (_name, limits, says) => {
    const wanted = parseGitUrl(`file://${folder}`);
    await expect(fetchRepository(io, wanted, limits)).rejects.toThrow(new RegExp(says));
    expect(readdirSync(os.tmpdir())).toEqual([]);
  },
);

it("fetches what is within the limits", async () => {
  await using fetched = await fetchRepository(io, parseGitUrl(`file://${folder}`));
  expect(readdirSync(fetched.place)).toContain("skill-39");
});
