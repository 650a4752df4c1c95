import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createPlace, settingsFor, startProgram, startServer, within } from "../server.ts";

// What another user of the machine can read of a data directory: nothing.

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

/**
 * What of a directory others than its owner have rights to, itself included. Whatever modes the files of
 * the database have, others do not come to them.
 */
async function openIn(directory: string): Promise<string[]> {
  const names = [".", ...(await readdir(directory))];
  const found: string[] = [];
  for (const name of names) {
    if (((await modeOf(path.join(directory, name))) & 0o077) !== 0) found.push(name);
  }
  return found;
}

/** Runs `work` as whoever gives files away. */
async function withoutUmask<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

test("is closed to other users if a start finds it open, and so is what an older one wrote", async () => {
  await using place = await createPlace({ isEmbedded: true });
  await chmod(place.directory, 0o755);
  await writeFile(path.join(place.directory, "demo.json"), "{}", { mode: 0o644 });
  await using _ = await withoutUmask(() => startServer(place));
  expect(await modeOf(place.directory)).toBe(0o700);
  expect(await modeOf(path.join(place.directory, "demo.json"))).toBe(0o600);
});

test("is closed to other users, whichever command creates it", async () => {
  await using place = await createPlace({ isEmbedded: true, isBare: true });
  await mkdir(place.directory, { mode: 0o755 });
  await using _ = await withoutUmask(() => startServer(place));
  expect(await openIn(place.directory)).toEqual([]);
});

test("an export belongs to the directory's owner, whichever user exports", async () => {
  await using place = await createPlace({ isEmbedded: true });
  await (await startServer(place))[Symbol.asyncDispose]();
  const file = path.join(path.dirname(place.directory), "export.jsonl");
  await withoutUmask(async () => {
    const program = startProgram(["export", file], settingsFor(place));
    expect(await within(30_000, program.exited), program.output.stderr).toBe(0);
  });
  expect(await modeOf(file)).toBe(0o600);
});

test.for([
  ["contains more than Parley's data", 0o755, ["notes.txt"]],
  ["contains more than Parley's data", 0o1777, ["lock.sqlite"]],
] as const)("is refused in one line if it %s (%o)", async ([reason, mode, names]) => {
  await using place = await createPlace({ isEmbedded: true, isBare: true });
  await mkdir(place.directory);
  for (const name of names) await writeFile(path.join(place.directory, name), "mine");
  await chmod(place.directory, mode);
  const program = startProgram(["serve"], settingsFor(place));
  expect(await within(30_000, program.exited)).toBe(1);
  expect(program.output.stderr).toMatch(/^parley: [^\n]+\n$/);
  expect(program.output.stderr).toContain(reason);
  expect((await stat(place.directory)).mode & 0o7777).toBe(mode);
  expect(await readdir(place.directory)).toEqual(names);
  expect(await readFile(path.join(place.directory, names[0]), "utf8")).toBe("mine");
});
