import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { createParley, createRpcClient } from "parley-client";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Demo, eventually, type Program, startProgram, within } from "../server.ts";
import { createSbom, nameOf } from "../../../.ci/sbom.ts";
import {
  createFolder,
  type Folder,
  install,
  installedIn,
  pack,
  publishedAs,
  systemNode,
} from "./packed.ts";
import { use } from "./users.ts";

// `npx parley serve` in an empty folder: the tarball of the command, its dependencies, nothing else.

let packed: Folder;
let project: Folder;
let tarball: string;
let main: string;
let program: Program | undefined;

beforeAll(async () => {
  packed = await createFolder();
  project = await createFolder();
  tarball = await pack(publishedAs("parley-server"), packed);
  await install(project, tarball, await pack(publishedAs("parley-client"), packed));
  main = path.join(project.path, "node_modules/parley-server/dist/bin/parley.js");
});

afterAll(async () => {
  program?.signal("SIGKILL");
  await program?.exited;
  await packed[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

const start = (args: readonly string[], settings: Parameters<typeof startProgram>[1]) =>
  startProgram(args, settings, { cwd: project.path, main: [main] });

test("it depends on exactly what its code imports", async () => {
  const folder = path.dirname(main);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  // Comments of bundled code name types.
  const code = texts
    .join("\n")
    .split("\n")
    .filter((line) => !/^\s*\/?\*/.test(line));
  const found = code
    .join("\n")
    .matchAll(/(?:\bfrom |^import |\bimport\(|\brequire\()"([\w./:@-]+)"/gm);
  const names = [...found]
    .map(([, name = ""]) => name)
    .filter((name) => !/^(?:\.|node:)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
  const manifest = await readFile(path.join(folder, "../../package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  expect([...new Set(names)].toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

test("its bill of materials has everything that is installed with it", async () => {
  const sbom = await createSbom(publishedAs("parley-server"));
  const names = new Set(sbom.components.map(nameOf));
  const installed = await installedIn(project);
  expect(installed.length).toBeGreaterThan(50);
  const ofClient = ["@trpc/client", "superjson", "copy-anything"];
  const known = [...ofClient, "parley-client", "parley-server"];
  expect(installed.filter((name) => !names.has(name) && !known.includes(name))).toEqual([]);
  expect(names).toContain("swagger-ui-dist");
});

test("publint finds nothing", async () => {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages).toEqual([]);
});

const node = systemNode();
const isOld = node !== undefined && node.major < 26;
const skipped = isOld ? "" : " (skipped: the system's Node is not older)";

test.skipIf(!isOld)(`a Node that is too old is told so${skipped}`, async () => {
  const refusal = project.run(node?.file ?? "", [main, "serve"]);
  await expect(refusal).rejects.toThrow("parley: needs Node 26 or newer, but this is");
});

test("it serves, imports skills and runs functions", async () => {
  const { version } = JSON.parse(
    await readFile(path.join(main, "../../../package.json"), "utf8"),
  ) as { version: string };
  const command = path.join(project.path, "node_modules/.bin/parley");
  expect(await project.run(command, ["--version"])).toBe(`${version}\n`);
  program = start(["serve", "--demo"], { PARLEY_PORT: "0" });
  const demo = await eventually(async () => {
    const text = await readFile(path.join(project.path, ".parley/demo.json"), "utf8").catch(
      () => "",
    );
    return text === "" ? {} : { value: JSON.parse(text) as Demo };
  }, 60_000);
  const { url: baseUrl, workspaceId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl, workspaceId, apiKey });

  // The client that is installed beside it.
  await project.write("use.js", use);
  const args = ["use.js", baseUrl, workspaceId, demo.userKey, demo.operatorKey];
  const used = JSON.parse(await project.run(process.execPath, args)) as { text: string };
  expect(used.text).toContain("You said: Hello!");

  for (const file of [
    "docs/",
    "docs/api",
    "docs/api/swagger-ui.css",
    "docs/api/swagger-ui-bundle.js",
  ]) {
    expect((await fetch(`${baseUrl}/${file}`)).status).toBe(200);
  }

  // Markdown is rendered in a thread of its own.
  const folders = path.join(import.meta.dirname, "../skills/folders");
  await cp(folders, path.join(project.path, "skills"), { recursive: true });
  const options = ["--status", "active", "--availability", "workspace_users"];
  const importing = start(["skills", "import", "skills", ...options], {
    PARLEY_URL: baseUrl,
    PARLEY_WORKSPACE: workspaceId,
    PARLEY_API_KEY: apiKey,
  });
  expect([await importing.exited, importing.output.stderr]).toEqual([0, ""]);
  const { skills } = await parley.skills.list({ bypassEditorVisibility: true });
  const imported = skills.find(({ name }) => name === "csv-report");
  expect(imported?.instructionsHtml).toMatch(/<\w+>/);

  // What is not cheap is evaluated in a thread too, and inputs are checked by their schema.
  const words = { functionId: "word-count", input: { text: "one two  three" } };
  expect((await parley.functions.invoke(words)).outcome).toEqual({
    status: "succeeded",
    result: { words: 3 },
  });
  const operator = createRpcClient({ url: baseUrl, apiKey: demo.operatorKey });
  await operator.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: "greet",
    description: "Greets",
    inputSchema: { type: "object", required: ["name"] },
    program: { type: "simulated", behaviour: { result: '"Hello, " & name' } },
  });
  const greet = async (input: { name?: string }) =>
    (await parley.functions.invoke({ functionId: "greet", input })).outcome;
  expect(await greet({ name: "Ada" })).toEqual({ status: "succeeded", result: "Hello, Ada" });
  expect(await greet({})).toMatchObject({ status: "errored", error: { code: "invalid_input" } });

  program.signal("SIGTERM");
  expect(await within(15_000, program.exited)).toBe(0);
});

test("it reads .env of the folder that it starts in", async () => {
  const file = path.join(project.path, ".env");
  await writeFile(file, "DATABASE_URL=postgres://root@127.0.0.1:1/nothing\n");
  try {
    const failed = start(["migrate"], {});
    expect(await within(30_000, failed.exited)).toBe(1);
    expect(failed.output.stderr).toContain(JSON.stringify(file));
    expect(failed.output.stderr).toContain("connect ECONNREFUSED 127.0.0.1:1");
  } finally {
    await rm(file);
  }
});

const NOBODY = 65_534;
const isRoot = process.platform === "linux" && process.geteuid?.() === 0;

/** Starts the packed server as a user, waits until it serves, stops it, and gives what it printed. */
async function serveOnce(directory: string, uid: number): Promise<string> {
  const child = spawn(process.execPath, [main, "serve"], {
    cwd: project.path,
    env: { PARLEY_PORT: "0", PARLEY_DATA_DIR: directory },
    stdio: ["ignore", "pipe", "pipe"],
    uid,
    gid: uid,
  });
  const ended = once(child, "close");
  let printed = "";
  const isServing = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("Parley listens on")) isServing.resolve();
    });
  }
  await within(60_000, Promise.race([isServing.promise, ended]));
  child.kill("SIGTERM");
  await within(15_000, ended);
  return printed;
}

// Its install ran no scripts, so that the libraries of PostgreSQL come without their links.
test.skipIf(!isRoot).for([
  {
    where: "in a folder that others can enter",
    mode: 0o755,
    project: 0o755,
    uid: 0,
    owner: NOBODY,
  },
  { where: "below a folder of its own", mode: 0o700, project: 0o755, uid: 0, owner: 0 },
  { where: "with its programs below one", mode: 0o755, project: 0o700, uid: 0, owner: NOBODY },
  { where: "in a folder of its own", mode: 0o755, project: 0o755, uid: NOBODY, owner: NOBODY },
])("it starts its database as user $uid $where", async ({ mode, uid, owner, ...rest }) => {
  await using place = await createFolder();
  await chmod(place.path, mode);
  await chmod(project.path, rest.project);
  const directory = path.join(place.path, "data");
  await mkdir(directory, { mode: 0o700 });
  await chown(directory, uid, uid);
  const printed = await serveOnce(directory, uid);
  expect(printed).toContain("Parley listens on");
  expect((await stat(path.join(directory, "postgresql"))).uid).toBe(owner);
});
