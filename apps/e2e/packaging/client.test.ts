import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import vm from "node:vm";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import * as client from "parley-client";
import { publint } from "publint";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, shareServer } from "../server.ts";
import {
  type Example,
  expectedOutput,
  joinExamples,
  readBlocks,
  readComments,
  splitOutput,
} from "./examples.ts";
import {
  chatUse,
  compilations,
  compilerOptions,
  mountComponent,
  rightUse,
  use,
  webGlobals,
} from "./users.ts";
import { createSbom, nameOf } from "../../../.ci/sbom.ts";
import {
  catalogued,
  compile,
  compilerAt,
  createFolder,
  type Folder,
  install,
  pack,
  publishedAs,
  systemNode,
} from "./packed.ts";

// What users install: the tarball of the client, in a folder that knows nothing of the workspace.

let packed: Folder;
let project: Folder;
let tarball: string;
let files: string[];
let dist: string;

beforeAll(async () => {
  packed = await createFolder();
  project = await createFolder();
  tarball = await pack(publishedAs("parley-client"), packed);
  // What its optional peers are, and what its users write schemas with, in the versions of the workspace.
  const peers = ["react", "react-dom", "@types/react", "ai", "@ai-sdk/react", "happy-dom", "zod"];
  await install(project, tarball, ...(await catalogued(...peers)));
  dist = path.join(project.path, "node_modules/parley-client/dist");
  files = await readdir(dist);
});

afterAll(async () => {
  await packed[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

/** What is imported from outside of the package. */
const importsOf = (text: string) => {
  const found = text.matchAll(/(?:from |import |import\(|require\()"([^."][^"]*)"/g);
  return [...new Set([...found].map(([, name = ""]) => name))].toSorted();
};

const read = async (...names: string[]) =>
  (await Promise.all(names.map((name) => readFile(path.join(dist, name), "utf8")))).join("\n");

test("it imports nothing of Node, of a server, or of what is not published", async () => {
  expect(files).toEqual(expect.arrayContaining(["index.d.ts", "index.js", "licenses.txt"]));
  const bindings = ["react", "ai-sdk"];
  const ofClient = (ending: string) =>
    files.filter(
      (name) => name.endsWith(ending) && !bindings.includes(name.slice(0, -ending.length)),
    );
  expect(importsOf(await read(...ofClient(".js")))).toEqual(["@trpc/client", "superjson"]);
  expect(importsOf(await read(...ofClient(".d.ts")))).toEqual(["zod", "zod/v4/core"]);
  expect(importsOf(await read("react.js"))).toEqual(["react"]);
  expect(importsOf(await read("react.d.ts"))).toEqual([]);
  expect(importsOf(await read("ai-sdk.js"))).toEqual([]);
  expect(importsOf(await read("ai-sdk.d.ts"))).toEqual(["ai"]);
  const code = await read(...files.filter((name) => name.endsWith(".js")));
  // Bundlers replace it; elsewhere it may be missing, and is asked for once.
  const environment = ["process", "env", "NODE_ENV"].join(".");
  expect(code.split(environment)).toHaveLength(2);
  // Comments and texts may name what code must not.
  const names = code
    .replace(environment, "")
    .match(/^(?!\s*(?:\*|\/\/)).*\b(?:process|Buffer|require|__dirname)\b[.(].*/gm);
  expect(names).toBe(null);
});

test("its bill of materials has what is bundled in it, and what it depends on", async () => {
  const sbom = await createSbom(publishedAs("parley-client"));
  const isBundled = ({ properties = [] }: (typeof sbom.components)[number]) =>
    properties.length > 0;
  const code = await read(...files.filter((name) => name.endsWith(".js")));
  // Each module is bundled below its path.
  const sources = [
    ...code.matchAll(/^\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!\.pnpm)\S*$/gm),
  ];
  const bundled = new Set(sources.map(([, name = ""]) => name));
  expect(sbom.components.filter(isBundled).map(nameOf).toSorted()).toEqual([...bundled].toSorted());
  const manifest = await readFile(path.join(dist, "../package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: object };
  expect(sbom.components.map(nameOf)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});

test("publint and are-the-types-wrong find nothing", async () => {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages).toEqual([]);
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  if (analysis.types === false) throw new Error("It has no types");
  // Only modules import it, and by its exports: that is what it says of itself.
  const asModule = analysis.problems.filter(
    (problem) =>
      problem.kind !== "CJSResolvesToESM" &&
      !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  expect(asModule).toEqual([]);
});

test("its transport of chats has the types of the oldest AI SDK that it takes", async () => {
  const manifest = await readFile(path.join(dist, "../package.json"), "utf8");
  const { peerDependencies } = JSON.parse(manifest) as { peerDependencies: { ai: string } };
  const [, oldest = ""] = />=(\S+)/.exec(peerDependencies.ai) ?? [];
  await using old = await createFolder();
  await install(old, tarball, `ai@${oldest}`);
  await old.write("use.ts", chatUse);
  expect(await compile(old, ["use.ts"])).toBe("");
});

/** What a compiler says of the AI SDK's own declarations: they ask for those of Node, and of JSON Schema. */
const ofSdk = /^node_modules\/\S*\/node_modules\/(?:ai|@ai-sdk\/[\w-]+)\/|^ /;

// Nothing is skipped: the declarations of what it depends on are checked too.
test.for(compilations)(
  "its types are right for $compiler with $moduleResolution",
  async ({ compiler, ...modules }) => {
    const place = `types-${compiler}-${modules.module}`;
    const config = {
      compilerOptions: { ...compilerOptions, ...modules, skipLibCheck: false },
      files: ["right.ts", "ai.ts"],
    };
    await project.write(`${place}/right.ts`, rightUse);
    await project.write(`${place}/ai.ts`, chatUse);
    await project.write(`${place}/tsconfig.json`, JSON.stringify(config));
    // One program, since libraries take most of its time. It ends with 1 or 2 when it finds faults.
    const found = '"$@" 2>&1 || [ $? -le 2 ]';
    const command = [process.execPath, compilerAt(compiler), "-p", place];
    const said = await project.run("sh", ["-c", found, "sh", ...command]);
    expect(said.split("\n").filter((line) => line !== "" && !ofSdk.test(line))).toEqual([]);
  },
);

test("a bundle that uses one call carries neither the RPC nor the schemas", async () => {
  const bundled = await bundle(`export { createParley } from "parley-client";`, "esm");
  expect(importsOf(bundled)).toEqual([]);
  expect(bundled.match(/superjson|httpBatch|ZodObject|EventSource/g)).toBe(null);
  expect(bundled.length).toBeLessThan(25_000);
});

/** What a page would load of a module of the project. */
async function bundle(entry: string, format: "esm" | "iife"): Promise<string> {
  await project.write("entry.js", entry);
  const input = path.join(project.path, "entry.js");
  const built = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await built.generate({ format, name: "client", minify: true });
  return output[0].code;
}

const server = shareServer();

/** Checks a module of examples, runs it in the project, and compares what they say they print. */
async function runExamples(
  examples: readonly Example[],
  { scope, prefix }: { scope: "own" | "shared"; prefix: string },
): Promise<void> {
  const { url, workspaceId, userKey: apiKey, operatorKey, adminKey } = server().demo;
  const names = { url, workspaceId, apiKey, operatorKey, demo: { adminKey } };
  await project.write("examples.ts", prefix + joinExamples(examples, { names, scope }));
  await compile(project, ["examples.ts"]);
  const printed = splitOutput(await project.run(process.execPath, ["examples.ts"]));
  for (const example of examples) {
    for (const line of expectedOutput(example)) {
      expect(printed.get(example.place), example.place).toContain(line);
    }
  }
}

test("the examples of docs/guide/client.md run one after the other, and print what they say", async () => {
  const blocks = await readBlocks("docs/guide/client.md");
  expect(blocks.length).toBeGreaterThan(5);
  const [first] = await readBlocks("packages/client/README.md");
  expect(first?.code).toBe(blocks[0]?.code);
  await runExamples(blocks, { scope: "shared", prefix: "" });
});

test("the components of docs/guide/client.md compile, and show an answer", async () => {
  const blocks = await readBlocks("docs/guide/client.md", "tsx");
  expect(blocks).toHaveLength(2);
  await project.write("mount.js", mountComponent);
  const { url, workspaceId, userKey } = server().demo;
  const sources = blocks.map((_, index) => `component-${index}.tsx`);
  for (const [index, { code }] of blocks.entries()) await project.write(sources[index]!, code);
  await compile(project, sources, { jsx: "react-jsx" });
  for (const [index, { place }] of blocks.entries()) {
    const [source, built] = [sources[index]!, `component-${index}.js`];
    const bundled = await rolldown({
      input: path.join(project.path, source),
      external: /^[@a-z]/,
      logLevel: "silent",
    });
    await bundled.write({ file: path.join(project.path, built) });
    const args = ["mount.js", `./${built}`, url, workspaceId, userKey];
    const shown = await project.run(process.execPath, args);
    expect(shown.trim(), place).toBe(
      "Hello! | You said: Hello!\nI am a simulated agent, glad to help.",
    );
  }
});

test("each export has an example that runs, and prints what it says", async () => {
  const exported = Object.keys(client);
  const examples = (
    await Promise.all(globSync("packages/client/src/*.ts", { cwd: root }).map(readComments))
  ).flat();
  expect(examples.map(({ place }) => place).toSorted()).toEqual(exported.toSorted());
  const prefix =
    `import { ${exported.join(", ")} } from "parley-client";\nimport * as z from "zod";\n` +
    `const parley = createParley(${JSON.stringify({
      baseUrl: server().demo.url,
      workspaceId: server().demo.workspaceId,
      apiKey: server().demo.userKey,
    })});\n`;
  await runExamples(examples, { scope: "own", prefix });
});

test("it needs nothing but what every runtime of the web has", async () => {
  const script = await bundle(`export * from "parley-client";`, "iife");
  const context = Object.fromEntries(webGlobals.map((name) => [name, globalThis[name]]));
  const { createParley, createRpcClient } = vm.runInNewContext(
    `${script}; client`,
    context,
  ) as typeof client;
  const { url, workspaceId, userKey: apiKey } = server().demo;
  const parley = createParley({ baseUrl: url, workspaceId, apiKey });
  const { invocation } = await parley.functions.invoke({
    functionId: "add",
    input: { a: 1, b: 2 },
  });
  const invoked = { functionId: "add", invocationId: invocation.sId };
  const followed = await Array.fromAsync(parley.invocations.follow(invoked));
  const both = ["created", "result"].map((name) => `sandbox_function_invocation_${name}`);
  expect(followed.map(({ type }) => type)).toEqual(both);
  const rpc = createRpcClient({ url, apiKey });
  const subscribed: string[] = [];
  await new Promise<void>((resolve, reject) => {
    rpc.sandboxFunctions.events.subscribe(
      { wId: workspaceId, ...invoked },
      {
        onData: ({ data }) => void subscribed.push(data.type),
        onComplete: resolve,
        onError: reject,
      },
    );
  });
  expect(subscribed).toEqual(both);
});

const node = systemNode();
const skipped = node === undefined ? " (skipped: there is none)" : "";

test.skipIf(node === undefined)(`it runs on the Node of the system${skipped}`, async () => {
  await project.write("use.js", use);
  const { url, workspaceId, userKey, operatorKey } = server().demo;
  const args = ["use.js", url, workspaceId, userKey, operatorKey];
  const printed = JSON.parse(await project.run(node?.file ?? "", args)) as object;
  expect(printed).toEqual({
    node: expect.stringMatching(/^v(?:2\d|[3-9]\d)\./),
    text: "You said: Hello!\nI am a simulated agent, glad to help.",
    outcome: { status: "succeeded", result: { sum: 3 } },
    types: ["sandbox_function_invocation_created", "sandbox_function_invocation_result"],
    error: "conversation_not_found 404",
    workspace: "Packed",
    echoed: { date: "1970-01-01T00:00:00.000Z", bigint: 12, map: { a: 1 }, set: [1] },
    expiresAt: 4_000_000_000_000,
    subscribed: "sandbox_function_invocation_result",
  });
});
