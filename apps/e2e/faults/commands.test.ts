import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createTemporaryDatabase } from "@parley/db/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import type { Settings } from "../server.ts";

// A command that cannot do its work says why in one sentence, and not where it was in the program.

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), "parley-commands-"));
  await writeFile(path.join(directory, "file"), "x\n");
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs a command that fails, and gives the one sentence that it printed. */
async function fail(args: readonly string[], settings: Settings = {}): Promise<string> {
  const environment = { PARLEY_DATA_DIR: path.join(directory, "none"), ...settings };
  const { code, stdout, stderr } = await runCli(args, { environment });
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  expect([code, stdout]).toEqual([1, ""]);
  return stderr;
}

const nobody = "postgres://root@127.0.0.1:1/parley";
const inDirectory = (...names: string[]) => path.join(directory, ...names);

test.for(["api", "worker", "serve", "migrate", "keys bootstrap", "export"])(
  "%s: a database that cannot be reached is one sentence",
  async (command) => {
    const said = await fail(command.split(" "), { DATABASE_URL: nobody });
    expect(said).toContain("ECONNREFUSED");
  },
);

test("import: a file that is not there is one sentence, before the database is looked for", async () => {
  const said = await fail(["import", inDirectory("none.jsonl")], { DATABASE_URL: nobody });
  expect(said).toMatch(/none\.jsonl: no such file or directory \(ENOENT\)/);
});

test.for([
  { args: ["functions", "record"], name: "none", says: "ENOENT" },
  { args: ["functions", "record"], name: ".", says: "EISDIR" },
  { args: ["functions", "record"], name: "file", says: "Line 1" },
  { args: ["skills", "import"], name: "none", says: "no such folder or archive" },
  { args: ["skills", "import"], name: "file", says: "neither a folder nor a .zip" },
])("$args with $name is one sentence", async ({ args, name, says }) => {
  const server = {
    PARLEY_URL: "http://127.0.0.1:1",
    PARLEY_WORKSPACE: "w",
    PARLEY_API_KEY: "sk-not-logged",
  };
  expect(await fail([...args, inDirectory(name)], server)).toContain(says);
});

test("export: a data directory without a database is one sentence", async () => {
  expect(await fail(["export"])).toContain("contains no database");
});

describe("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createTemporaryDatabase>>;
  beforeAll(async () => {
    database = await createTemporaryDatabase();
  });
  afterAll(() => database.drop());
  const url = (change: (url: URL) => void): string => {
    const changed = new URL(database.url);
    change(changed);
    return changed.href;
  };

  test.for(["serve", "migrate", "keys bootstrap", "export", "import"])(
    "%s: a database that is not there is one sentence",
    async (command) => {
      const noDatabase = url((changed) => (changed.pathname = "/parley_no_such_database"));
      expect(await fail(command.split(" "), { DATABASE_URL: noDatabase })).toContain(
        "does not exist",
      );
    },
  );

  test("a user that the database does not let in is one sentence", async () => {
    const noUser = url((changed) => (changed.username = "parley_no_such_user"));
    expect(await fail(["migrate"], { DATABASE_URL: noUser })).toContain("parley_no_such_user");
  });

  test("export: a file that is there, a folder, and a folder that is not there", async () => {
    const settings = { DATABASE_URL: database.url };
    expect(await fail(["export", inDirectory("file")], settings)).toContain("EEXIST");
    expect(await fail(["export", directory], settings)).toMatch(/EISDIR|EEXIST/);
    expect(await fail(["export", inDirectory("none", "x")], settings)).toContain("ENOENT");
  });

  test("import: a folder is one sentence", async () => {
    expect(await fail(["import", directory], { DATABASE_URL: database.url })).toContain("EISDIR");
  });
});
