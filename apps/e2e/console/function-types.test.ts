import { readFile } from "node:fs/promises";
import path from "node:path";
import { createParley } from "parley-client";
import { describe, expect, it } from "vitest";
import { root, shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

const read = async (file: string) => readFile(path.join(root, file), "utf8");

describe("the types that the editor of functions knows", () => {
  const server = shareServer();
  const calls = createCalls(server);

  it("are those of the globals of function code", async () => {
    const types = await read("apps/console/src/functions/types/global-types.ts");
    const names = [...types.matchAll(/^declare (?:var|function|class) (\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(names).toContain("structuredClone");
    const { url: baseUrl, demo } = server();
    const source = "export default (names) => names.filter((name) => !(name in globalThis));";
    await calls.rpc().sandboxFunctions.create.mutate({
      wId: demo.workspaceId,
      slug: "missing",
      program: { type: "javascript", source },
    });
    const parley = createParley({ baseUrl, workspaceId: demo.workspaceId, apiKey: demo.adminKey });
    const { outcome } = await parley.functions.invoke({ functionId: "missing", input: names });
    expect(outcome).toEqual({ status: "succeeded", result: [] });
  });

  it("have the same context as the folders of the command line", async () => {
    const ours = await read("apps/console/src/functions/types/context-types.ts");
    const theirs = await read("apps/cli/src/functions/editor-files.ts");
    const textOf = (source: string, name: string) =>
      source.split(`const ${name} = \``)[1]?.split("`;")[0];
    expect(textOf(ours, "CONTEXT_TYPES")).toBeTruthy();
    expect(textOf(ours, "CONTEXT_TYPES")).toBe(textOf(theirs, "context"));
  });
});
