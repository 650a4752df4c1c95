import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const meta = path.join(root, "migrations/meta");

test("the newest migration has the only snapshot", async () => {
  const journal = JSON.parse(await readFile(path.join(meta, "_journal.json"), "utf8")) as {
    entries: { idx: number }[];
  };
  const newest = String(journal.entries.at(-1)?.idx).padStart(4, "0");
  const snapshots = (await readdir(meta)).filter((name) => name !== "_journal.json");
  // Drizzle compares with the newest alone: the others are 4,000 lines each, and may be deleted.
  expect(snapshots).toEqual([`${newest}_snapshot.json`]);
});

test("the tables are what the migrations make", async () => {
  const out = await mkdtemp(path.join(os.tmpdir(), "parley-migrations-"));
  try {
    await cp(meta, path.join(out, "meta"), { recursive: true });
    const kit = path.join(
      path.dirname(createRequire(import.meta.url).resolve("drizzle-kit")),
      "bin.cjs",
    );
    const options = ["--dialect=postgresql", "--casing=snake_case", "--schema=./src/tables"];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [kit, "generate", ...options, `--out=${path.relative(root, out)}`],
      { cwd: root, timeout: 60_000 },
    );
    expect(stdout).toContain("No schema changes, nothing to migrate");
  } finally {
    await rm(out, { recursive: true });
  }
});
