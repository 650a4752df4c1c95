import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { agentMessages, createParley } from "parley-client";
import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { Settings } from "@parley/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFolder, type Folder, systemNode } from "../packaging/packed.ts";
import { builtFile, endWithThisProcess } from "../programs.ts";
import {
  createPlace,
  type Demo,
  eventually,
  type Place,
  root,
  settingsFor,
  shareServer,
  within,
} from "../server.ts";
import { copyExample } from "./copy-example.ts";

// The examples that are processes: each runs as its page says.

const examples = path.join(root, "examples");

describe("follow-an-answer", () => {
  const server = shareServer();
  let folder: Folder;
  beforeAll(async () => {
    folder = await copyExample("follow-an-answer");
  });
  afterAll(async () => folder?.[Symbol.asyncDispose]());

  // Its readers have an older Node than the workspace, if there is one.
  const node = path.dirname(systemNode()?.file ?? process.execPath);
  const follow = async (question: string, agentId: string) => {
    const { url, workspaceId, userKey } = server().demo;
    const page = await readFile(path.join(folder.path, "README.md"), "utf8");
    const [, command = "exit 9"] = /sk-… (?:npx )?(.*) "Hello!"$/m.exec(page) ?? [];
    return promisify(execFile)("sh", ["-c", `${command} "$1"`, "sh", question], {
      cwd: folder.path,
      env: {
        PATH: `${path.join(folder.path, "node_modules/.bin")}:${node}:/usr/bin:/bin`,
        PARLEY_URL: url,
        PARLEY_WORKSPACE: workspaceId,
        PARLEY_API_KEY: userKey,
        PARLEY_AGENT_ID: agentId,
      },
    });
  };

  test("prints the answer to its question", async () => {
    const { stdout, stderr } = await follow("Good morning", "helper");
    expect(stdout).toBe("You said: Good morning\nI am a simulated agent, glad to help.\n");
    expect(stderr).toBe("");
  });

  test("says why an agent failed, or that there is none", async () => {
    await expect(follow("Hi", "faulty")).rejects.toMatchObject({
      code: 1,
      stderr: "\nsimulated_failure: This agent always fails\n",
    });
    expect((await follow("Hi", "nobody")).stderr).toContain("no active agent");
  });
});

describe.skipIf(redisServer.isMissing)(`separate-workers${redisServer.suffix}`, () => {
  let redis: TestRedis;
  let place: Place;
  let folder: Folder;
  beforeAll(async () => {
    redis = await startTestRedis();
    place = await createPlace();
    // The command as it is installed: in the folder from which the script is started.
    folder = await createFolder();
    const command = path.join(folder.path, "node_modules/.bin/parley");
    await mkdir(path.dirname(command), { recursive: true });
    await writeFile(
      command,
      `#!/bin/sh\nexec '${process.execPath}' '${builtFile("parley.js")}' "$@"`,
    );
    await chmod(command, 0o755);
  });
  afterAll(async () => {
    await folder?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
    await redis?.kill();
  });

  async function start() {
    const script = path.join(examples, "separate-workers/start.sh");
    const child = spawn(script, ["--demo"], {
      cwd: folder.path,
      env: { PATH: "/usr/bin:/bin", ...settingsFor(place), REDIS_URL: redis.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    endWithThisProcess(child);
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    }
    const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
    await eventually(async () => {
      const isThere =
        printed.split("Worker started").length === 3 && /Parley listens/.test(printed);
      return isThere ? { value: true } : {};
    }, 60_000).catch(() => Promise.reject(new Error(printed)));
    const file = await readFile(path.join(place.directory, "demo.json"), "utf8");
    return { child, exited, demo: JSON.parse(file) as Demo, printed: () => printed };
  }

  test("answers through its API, and ends as a whole when it is told to", async () => {
    const { child, exited, demo } = await start();
    const { url: baseUrl, workspaceId, userKey: apiKey } = demo;
    const parley = createParley({ baseUrl, workspaceId, apiKey });
    const { conversation } = await parley.conversations.create({
      message: { content: "Hello!", mentions: [{ configurationId: "helper" }] },
      blocking: true,
    });
    expect(agentMessages(conversation)[0]?.status).toBe("succeeded");
    child.kill("SIGTERM");
    expect(await within(30_000, exited)).toBe(0);
    await expect(fetch(`${baseUrl}/livez`)).rejects.toThrow("fetch failed");
  });

  test("ends as a whole when one of its processes ends", async () => {
    const { exited, demo, printed } = await start();
    process.kill(demo.pid, "SIGKILL");
    expect(await within(30_000, exited)).toBe(1);
    expect(printed()).toContain("A process has ended, so all end");
  });

  test("has units with commands and settings that there are", async () => {
    const example = path.join(examples, "separate-workers");
    const units = await readdir(path.join(example, "systemd"));
    expect(units.toSorted()).toEqual(["parley-api.service", "parley-worker@.service"]);
    const texts = await Promise.all(
      ["parley.env", ...units.map((unit) => `systemd/${unit}`)].map((file) =>
        readFile(path.join(example, file), "utf8"),
      ),
    );
    const named = texts.join("\n").matchAll(/^(?:Environment=)?((?:[A-Z_]+=\S*\s?)+)$/gm);
    const settings = [...named].flatMap(([, line = ""]) =>
      line
        .trim()
        .split(/\s/)
        .map((one) => one.split("=")[0]),
    );
    expect(settings.length).toBeGreaterThan(5);
    expect(settings.filter((name) => !((name ?? "") in Settings.shape))).toEqual([]);
    const commands = [...texts.join("\n").matchAll(/^ExecStart=\S+\/parley (.*)$/gm)];
    expect(commands.map(([, words]) => words)).toEqual(["api", "worker"]);
    const procfile = await readFile(path.join(example, "Procfile"), "utf8");
    expect(procfile).toBe("api: parley api\nworker: parley worker\n");
  });
});
