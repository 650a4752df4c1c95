import { readFile } from "node:fs/promises";
import path from "node:path";
import { findFreePort } from "@parley/db/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { editorFilesOf } from "../../cli/src/functions/editor-files.ts";
import { pnpm, runIn } from "../../../.ci/pnpm.ts";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { eventually, root, startProgram } from "../server.ts";
import { createFolder, type Folder, install, pack, publishedAs } from "./packed.ts";

// `npm create parley shop` and what its last lines say to do next, with the packed packages in place of a registry.

interface Manifest {
  readonly scripts: { readonly test: string };
  readonly dependencies: object;
}

let packed: Folder;
let project: string;
let environment: Record<string, string>;
let scripts: Manifest["scripts"];

beforeAll(async () => {
  packed = await createFolder();
  const tarball = await pack(publishedAs("create-parley"), packed);
  await install(packed, tarball);
  await packed.run("node_modules/.bin/create-parley", ["shop"]);
  project = path.join(packed.path, "shop");
  const file = path.join(project, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8")) as Manifest;
  ({ scripts } = manifest);
  const dependencies = { ...manifest.dependencies };
  for (const name of ["parley-client", "parley-server"] as const) {
    Object.assign(dependencies, { [name]: `file:${await pack(publishedAs(name), packed)}` });
  }
  await packed.write("shop/package.json", JSON.stringify({ ...manifest, dependencies }));
  // The project of a user is in no workspace.
  await pnpm(project, "install", "--prefer-offline", "--ignore-scripts", "--ignore-workspace");
  const bins = [path.join(project, "node_modules/.bin"), path.dirname(process.execPath)];
  environment = { PATH: [...bins, "/usr/bin", "/bin"].join(":"), HOME: packed.path };
});
afterAll(() => packed[Symbol.asyncDispose]());

test("a folder that has files is refused, with the next step", async () => {
  const again = packed.run("node_modules/.bin/create-parley", ["shop"]);
  await expect(again).rejects.toThrow(/create-parley: shop already has .*: choose a new or empty/);
});

test("its tests pass", async () => {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const words = ["-i", ...variables, "bash", "-c", scripts.test];
  const printed = await runIn(project, "env", words);
  expect(printed).toContain("passed: order\n");
  expect(printed).toMatch(/pass 1\n.* fail 0\n/);
});

test("its types are right", async () => {
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const code = ["start.ts", "test/clerk.test.ts"];
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
  const more = ["--allowImportingTsExtensions", "--target", "esnext", "--types", "node"];
  const types = path.join(root, "node_modules/@types");
  const words = [...options, ...more, "--typeRoots", types];
  expect(await runIn(project, process.execPath, [tsc, ...words, ...code])).toBe("");
  const page = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext"];
  const ofPage = ["--moduleResolution", "bundler", "--lib", "esnext,dom,dom.iterable"];
  const client = [...page, ...ofPage, "--target", "esnext", "web/chat.ts"];
  expect(await runIn(project, process.execPath, [tsc, ...client])).toBe("");
});

test("its files for editors are those of the command, and its bundler the workspace's", async () => {
  const folder = path.join(root, "packages/create-parley/template/parley/functions/total");
  const read = async (name: string) => readFile(path.join(folder, name), "utf8");
  const definition = JSON.parse(await read("function.json")) as object;
  const files = editorFilesOf({ "index.ts": await read("index.ts") }, definition);
  expect(Object.keys(files)).toHaveLength(3);
  for (const [name, text] of Object.entries(files)) expect(await read(name)).toBe(text);
  const { catalog } = parse(await readFile(path.join(root, "pnpm-workspace.yaml"), "utf8")) as {
    catalog: Record<string, string>;
  };
  const manifest = await readFile(path.join(project, "package.json"), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ dependencies: { esbuild: catalog["esbuild"] } });
});

test.skipIf(!hasBrowser)(`its page answers a visitor${browserSuffix}`, async () => {
  const settings = { ...environment, PORT: String(await findFreePort()), PARLEY_PORT: "0" };
  const main = [path.join(project, "start.ts")];
  const program = startProgram([], settings, { cwd: project, main });
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    program.signal("SIGTERM");
    await program.exited;
  });
  const url = await eventually(async () => {
    const found = /Chat with the clerk: (\S+)/.exec(program.output.stdout)?.[1];
    return found === undefined ? {} : { value: found };
  }, 60_000);
  const browser = await openBrowser();
  stack.defer(async () => browser.close());
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole("textbox", { name: "Question" }).fill("What is it?");
  await page.getByRole("button", { name: "Ask" }).click();
  await page
    .getByRole("log")
    .getByText(/The total is .*21\.00 euros/)
    .waitFor();
  await page.getByRole("textbox", { name: "Question" }).fill("And again?");
  await page.getByRole("button", { name: "Ask" }).click();
  await expect.poll(() => page.getByText("21.00 euros").count(), { timeout: 60_000 }).toBe(2);
});
