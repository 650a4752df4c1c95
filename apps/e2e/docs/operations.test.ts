import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createTemporaryDatabase } from "@parley/db/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtFile } from "../programs.ts";
import { pathsOf, send } from "../request.ts";
import { createPlace, type Place, root, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// The commands of docs/operations.md, one after the other, as an operator would run them.

// Its key is its own, and that of the databases it is moved to.
const settings = { PARLEY_PUBLIC_URL: "http://parley.test", PARLEY_ENCRYPTION_KEY: "" };

describe("the commands of docs/operations.md", { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack();
  let place: Place;
  let folder: string;
  /** The databases that a server is moved to, and restored into. */
  const urls = { moved: "", restored: "" };
  /** By what they do. */
  const blocks = { move: [] as string[], dump: [] as string[], copy: "" };
  let conversation: string;
  let answered: string;

  beforeAll(async () => {
    place = stack.use(await createPlace({ isEmbedded: true }));
    for (const name of ["moved", "restored"] as const) {
      const { url, drop } = await createTemporaryDatabase({ isBare: true });
      stack.defer(drop);
      urls[name] = url;
    }
    folder = await mkdtemp(path.join(os.tmpdir(), "parley-operations-"));
    stack.defer(() => rm(folder, { recursive: true }));
    await symlink(place.directory, path.join(folder, ".parley"));
    const page = await readFile(path.join(root, "docs/operations.md"), "utf8");
    const found = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
    const [move = "", dump = "", restore = "", copy = "", ...others] = found;
    if (copy === "" || others.length > 0) throw new Error("The page has other blocks than these");
    Object.assign(blocks, { move: [move], dump: [dump, restore], copy });

    // Processes with databases of their own, whose directories the page copies.
    await using server = await startServer(place, settings);
    const calls = createCalls(() => server);
    const created = await calls.create("Keep this", ["helper"], { blocking: true });
    conversation = `${pathsOf(server).conversations}/${created.conversation.sId}`;
    answered = (await send(server, { path: conversation })).text;
  });
  afterAll(() => stack.disposeAsync());

  async function runBlocks(...commands: string[]): Promise<void> {
    const words = [process.execPath, builtFile("parley.js")].map((word) => `'${word}'`).join(" ");
    const beginning = `unset DATABASE_URL REDIS_URL "\${!PARLEY_@}"
      POSTGRES_URL='${urls.moved}' RESTORED_URL='${urls.restored}'
      parley() { ${words} "$@"; }`;
    const script = [beginning, ...commands].join("\n");
    await promisify(execFile)("bash", ["-euc", script], { cwd: folder });
  }

  async function expectServed(databaseUrl: string): Promise<void> {
    await using server = await startServer({ ...place, databaseUrl }, settings);
    expect((await send(server, { path: conversation })).text).toBe(answered);
  }

  test("move a server from its own database to another", async () => {
    await runBlocks(...blocks.move);
    await expectServed(urls.moved);
  });

  test("copy the directory of a server", async () => {
    await runBlocks(blocks.copy);
    const { stdout } = await promisify(execFile)("tar", ["-tzf", `${folder}/parley.tar.gz`]);
    expect(stdout).toContain("./postgresql/PG_VERSION");
    expect(stdout).toContain("./encryption.key");
  });

  test("back up and restore the database that it was moved to", async (context) => {
    const reason = await whyNoDump(urls.moved);
    context.skip(reason !== "", reason);
    await runBlocks(...blocks.dump);
    await expectServed(urls.restored);
  });
});

/** Why `pg_dump` cannot read a server: it knows no newer ones than itself. Nothing if it can. */
async function whyNoDump(url: string): Promise<string> {
  const { error, stdout } = spawnSync("pg_dump", ["--version"], { encoding: "utf8" });
  if (error !== undefined) return "pg_dump is not installed";
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ major: number }>(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  await client.end();
  const [own, server] = [Number(/\d+/.exec(stdout)?.[0]), Number(rows[0]?.major)];
  return own < server ? `pg_dump is of version ${own}, the server of version ${server}` : "";
}
