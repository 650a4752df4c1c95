import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installPackages } from "../clients/install-package.ts";
import { shareServer } from "../server.ts";

// The published Inspector of the protocol works as it is, installed into a folder of its own.

const PACKAGE = "@modelcontextprotocol/inspector";
const VERSION = "2.12.0";

describe(`${PACKAGE} ${VERSION}`, { timeout: 60_000 }, () => {
  const server = shareServer();
  let folder: string;
  let missing: string | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "parley-inspector-"));
    missing = await installPackages(path.join(folder, "installed"), [`${PACKAGE}@${VERSION}`]);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach((context) => {
    if (missing === undefined) return;
    console.warn(missing);
    context.skip(missing);
  });

  const inspect = async (method: string, ...more: string[]) => {
    const command = path.join(folder, "installed/node_modules/.bin/mcp-inspector");
    const target = [`${server().url}/mcp`, "--transport", "http"];
    const header = ["--header", `Authorization: Bearer ${server().demo.userKey}`];
    const given = ["--cli", ...target, "--method", method, ...more, ...header];
    // Its catalogue of servers is in the home directory.
    const env = { HOME: folder };
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...given], {
      cwd: folder,
      env,
    });
    return JSON.parse(stdout) as { [name: string]: unknown };
  };

  test("lists the tools, whose schemas it finds portable", async () => {
    const { tools } = await inspect("tools/list", "--strict");
    const names = (tools as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["agent__helper", "function__add"]));
  });

  test("asks an agent, and invokes a function", async () => {
    const call = (name: string, ...args: string[]) =>
      inspect("tools/call", "--tool-name", name, ...args.flatMap((one) => ["--tool-arg", one]));
    expect(await call("agent__helper", "message=Hello")).toMatchObject({
      structuredContent: { status: "succeeded" },
    });
    expect(await call("function__add", "a=1", "b=2")).toMatchObject({
      structuredContent: { sum: 3 },
    });
  });

  test("lists the skills", async () => {
    const { resources } = await inspect("resources/list");
    expect(Array.isArray(resources)).toBe(true);
  });
});
