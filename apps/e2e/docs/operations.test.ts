import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createTemporaryDatabase, drivers } from "@parley/db/testing";
import { expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { createPlace, type Place, root, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

const isMissing = spawnSync("pg_dump", ["--version"]).error !== undefined;
const reason = isMissing ? ": pg_dump is not installed" : "";

for (const { skip, suite } of drivers.filter(({ driver }) => driver === "postgres")) {
  test.skipIf(skip || isMissing)(
    `the commands of docs/operations.md move, back up and restore a server ${suite}${reason}`,
    { timeout: 120_000 },
    async () => {
      await using stack = new AsyncDisposableStack();
      const place = stack.use(await createPlace("pglite"));
      const [moved, restored] = [await createTemporaryDatabase(), await createTemporaryDatabase()];
      stack.defer(() => moved.drop());
      stack.defer(() => restored.drop());
      let conversation: string;
      let answered: string;
      {
        await using server = await startServer(place, { PARLEY_PUBLIC_URL: "http://parley.test" });
        const calls = createCalls(() => server);
        const created = await calls.create("Keep this", ["helper"], { blocking: true });
        conversation = `${pathsOf(server).conversations}/${created.conversation.sId}`;
        answered = (await send(server, { path: conversation })).text;
      }

      const folder = await mkdtemp(path.join(os.tmpdir(), "parley-operations-"));
      stack.defer(() => rm(folder, { recursive: true }));
      await symlink(place.directory, path.join(folder, ".parley"));
      const page = await readFile(path.join(root, "docs/operations.md"), "utf8");
      const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
      expect(blocks).toHaveLength(4);
      const main = [
        "--conditions=@parley/source",
        "--import",
        `${root}/node_modules/tsx/dist/esm/index.mjs`,
      ];
      const program = [process.execPath, ...main, `${root}/apps/cli/src/main.ts`];
      const words = program.map((word) => `'${word}'`).join(" ");
      const beginning = `unset DATABASE_URL REDIS_URL
        POSTGRES_URL='${moved.url}' RESTORED_URL='${restored.url}'
        parley() { ${words} "$@"; }`;
      const commands = [beginning, ...blocks].join("\n");
      await promisify(execFile)("bash", ["-euc", commands], { cwd: folder });

      // It came by way of the one that it was moved to.
      const there: Place = { ...place, driver: "postgres", databaseUrl: restored.url };
      await using server = await startServer(there, { PARLEY_PUBLIC_URL: "http://parley.test" });
      expect((await send(server, { path: conversation })).text).toBe(answered);
      const { stdout } = await promisify(execFile)("tar", ["-tzf", `${folder}/parley.tar.gz`]);
      expect(stdout).toContain(".parley/pglite/PG_VERSION");
    },
  );
}
