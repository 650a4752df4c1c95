import { readFile } from "node:fs/promises";
import path from "node:path";
import vm from "node:vm";
import type { createParley as CreateParley, ParleyOptions } from "parley-client";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { nativeFiles, nativePackages, WholeRequest } from "./native.ts";
import { createFolder, type Folder, install, pack, publishedAs } from "./packed.ts";
import { useAnywhere, usedAnywhere } from "./users.ts";

// The packed client in runtimes that are fetched: Cloudflare's workerd, and what React Native makes of it.

const server = shareServer();
let packed: Folder;
let tarball: string;
beforeAll(async () => {
  packed = await createFolder();
  tarball = await pack(publishedAs("parley-client"), packed);
});
afterAll(() => packed[Symbol.asyncDispose]());

const inWorkerd = `
import { useClient } from "./use.js";
export default { fetch: async (request) => Response.json(await useClient(await request.json())) };
`;
const startWorkerd = `
import { Miniflare } from "miniflare";
const options = { modules: true, scriptPath: "workerd.bundle.js", compatibilityDate: "2026-01-01" };
const miniflare = new Miniflare(options);
const sent = { method: "POST", body: process.argv[2] };
const response = await miniflare.dispatchFetch("http://worker", sent);
console.log(await response.text());
await miniflare.dispose();
`;

test("it works in workerd", async () => {
  await using project = await createFolder();
  await install(project, tarball, "miniflare@4.20260730.0");
  await project.write("use.js", useAnywhere);
  await project.write("workerd.js", inWorkerd);
  await project.write("start.js", startWorkerd);
  const input = path.join(project.path, "workerd.js");
  const built = await rolldown({ input, platform: "neutral", logLevel: "silent" });
  await built.write({ file: path.join(project.path, "workerd.bundle.js"), codeSplitting: false });
  const { url, workspaceId, userKey } = server().demo;
  const args = ["start.js", JSON.stringify({ url, workspaceId, userKey })];
  expect(JSON.parse(await project.run(process.execPath, args))).toEqual(usedAnywhere);
});

describe("React Native", () => {
  let project: Folder;
  let bundle: string;
  beforeAll(async () => {
    project = await createFolder();
    await install(project, tarball, ...nativePackages);
    await project.write("use.js", useAnywhere);
    for (const [name, text] of Object.entries(nativeFiles)) await project.write(name, text);
    await project.run(process.execPath, ["build.js"]);
    bundle = await readFile(path.join(project.path, "native.bundle.js"), "utf8");
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  /** Runs the bundle where there is what React Native has, and perhaps more. */
  function load(more: object = {}) {
    const given = { setTimeout, clearTimeout, console, performance, queueMicrotask };
    const context = { ...given, XMLHttpRequest: WholeRequest, nativeModuleProxy: {}, ...more };
    const names = "globalThis.global = globalThis.window = globalThis.self = globalThis";
    vm.createContext(context);
    vm.runInContext(`${names};\n${bundle}`, context);
    return context as unknown as {
      createParley: typeof CreateParley;
      useClient: (demo: object, options: Partial<ParleyOptions>) => Promise<unknown>;
    };
  }
  const optionsOf = () => {
    const { url: baseUrl, workspaceId, userKey: apiKey } = server().demo;
    return { baseUrl, workspaceId, apiKey };
  };

  test("Metro resolves it, and Hermes compiles the bundle", async () => {
    const hermesc = "node_modules/hermes-compiler/hermesc/linux64-bin/hermesc";
    const args = ["-emit-binary", "-w", "-O", "-out", "native.hbc", "native.bundle.js"];
    await project.run(path.join(project.path, hermesc), args);
    const compiled = await readFile(path.join(project.path, "native.hbc"));
    expect(compiled.length).toBeGreaterThan(100_000);
  });

  test("without anything added it reads, and creates with a key of the request", async () => {
    const parley = load().createParley(optionsOf());
    const { agentConfigurations } = await parley.agents.list({});
    expect(agentConfigurations.map(({ name }) => name)).toContain("helper");
    const idempotencyKey = crypto.randomUUID();
    const message = { content: "Hello!", mentions: [{ configurationId: "helper" }] };
    const { conversation } = await parley.conversations.create(
      { blocking: true, message },
      { idempotencyKey },
    );
    expect(conversation.content.flat().map(({ type }) => type)).toEqual([
      "user_message",
      "agent_message",
    ]);
  });

  test("without a crypto nothing is created by chance, and without streams it says what is missing", async () => {
    const parley = load().createParley(optionsOf());
    const invoked = { functionId: "add", input: { a: 1, b: 2 } };
    await expect(parley.functions.invoke(invoked)).rejects.toThrow("crypto is not defined");
    const { invocation } = await parley.functions.invoke(invoked, { idempotencyKey: "once" });
    const { functionId, sId: invocationId } = invocation;
    const followed = parley.invocations.follow({ functionId, invocationId }).next();
    await expect(followed).rejects.toThrow("Use a fetch that streams");
  });

  test("with crypto, TextDecoder and a fetch that streams, all of it works", async () => {
    // What `react-native-get-random-values` and `expo/fetch` add; the signals are React Native's own.
    const streaming: typeof fetch = async (url, { signal, ...init } = {}) => {
      const aborting = new AbortController();
      signal?.addEventListener("abort", () => aborting.abort(signal.reason));
      return fetch(url, { ...init, signal: aborting.signal });
    };
    const { useClient } = load({ crypto, TextDecoder });
    const used = await useClient(server().demo, { fetch: streaming });
    expect(JSON.parse(JSON.stringify(used))).toEqual(usedAnywhere);
  });
});
