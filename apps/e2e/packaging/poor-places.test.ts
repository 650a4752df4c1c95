import { spawnSync } from "node:child_process";
import { appendFile, chmod, chown, mkdir } from "node:fs/promises";
import path from "node:path";
import { agentMessages, createParley } from "parley-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { takePort } from "../proxy/nginx.ts";
import { createPlace, type Demo, eventually } from "../server.ts";
import { createFolder, type Folder, install, pack, publishedAs } from "./packed.ts";
import {
  copyRootfs,
  createRootfsFolder,
  makeSmallRoot,
  runIn,
  startIn,
  whyNoRootfs,
} from "./rootfs.ts";

// The packed server where there is nothing but Debian and Node: a user without rights, and files that cannot be written.

const USER = 4321;
/** One without an entry in /etc/passwd. */
const STRANGER = 4322;
const main = "/opt/parley/node_modules/parley-server/dist/bin/parley.js";

const obstacle = whyNoRootfs();
const reason = obstacle === undefined ? "" : `: skipped, ${obstacle}`;

describe.skipIf(obstacle !== undefined)(`in an empty root file system${reason}`, () => {
  let folder: Awaited<ReturnType<typeof createRootfsFolder>>;
  let packed: Folder;
  let root: string;
  beforeAll(async () => {
    folder = await createRootfsFolder();
    packed = await createFolder();
    await using project = await createFolder();
    root = path.join(folder.path, "root");
    await makeSmallRoot(root);
    await install(project, await pack(publishedAs("parley-server"), packed));
    await mkdir(path.join(root, "opt/parley"));
    await copyRootfs(project.path, path.join(root, "opt/parley"));
    // It was a temporary folder, which others do not enter.
    await chmod(path.join(root, "opt/parley"), 0o755);
    const entry = `app:x:${USER}:${USER}::/nonexistent:/usr/sbin/nologin\n`;
    await appendFile(path.join(root, "etc/passwd"), entry);
    await mkdir(path.join(root, "data"));
    await chown(path.join(root, "data"), USER, USER);
  });
  afterAll(async () => {
    await folder?.[Symbol.asyncDispose]();
    await packed?.[Symbol.asyncDispose]();
  });

  const start = (
    settings: Readonly<Record<string, string>>,
    {
      writable,
      user = USER,
      args = ["--demo"],
    }: { writable: readonly string[]; user?: number; args?: readonly string[] },
  ) =>
    startIn(root, {
      environment: { HOME: "/nonexistent", ...settings },
      workdir: "/",
      user: `${user}:${user}`,
      args: ["/usr/local/bin/node", main, "serve", ...args],
      writable,
    });

  /** Starts a server that a question is asked, and gives the answer. */
  async function answerOf(
    settings: Readonly<Record<string, string>>,
    writable: readonly string[],
    readDemo: () => Promise<Demo>,
  ): Promise<string | null | undefined> {
    const port = await takePort();
    const server = start({ ...settings, PARLEY_PORT: String(port) }, { writable });
    try {
      let code: number | null | undefined;
      void server.exited.then((ended) => (code = ended));
      const baseUrl = `http://127.0.0.1:${port}`;
      await eventually(async () => {
        if (code !== undefined) return { stop: new Error(server.output.text) };
        const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
        return ready?.ok === true ? { value: true } : {};
      }, 60_000);
      const { workspaceId, userKey: apiKey } = await readDemo();
      const parley = createParley({ baseUrl, workspaceId, apiKey });
      const message = { content: "Hello!", mentions: [{ configurationId: "helper" }] };
      const { conversation } = await parley.conversations.create({ blocking: true, message });
      return agentMessages(conversation)[0]?.content;
    } finally {
      server.kill();
      await server.exited;
    }
  }

  const readInside = async (file: string): Promise<Demo> => {
    const args = ["/bin/cat", file];
    return JSON.parse(
      await runIn(root, { environment: {}, workdir: "/", user: "root", args }),
    ) as Demo;
  };

  test.for([
    [["/data", "/tmp"], {}],
    [["/data"], { TMPDIR: "/data" }],
  ] as const)(
    "a user without rights serves with its PostgreSQL, and writes to nothing but %j",
    async ([writable, more]) => {
      const data = `/data/${writable.length}`;
      const answer = await answerOf({ PARLEY_DATA_DIR: data, ...more }, writable, () =>
        readInside(`${data}/demo.json`),
      );
      expect(answer).toContain("You said: Hello!");
    },
  );

  test("with DATABASE_URL it needs a data directory for nothing but the demo's keys", async () => {
    await using place = await createPlace();
    const settings = { DATABASE_URL: place.databaseUrl!, PARLEY_DATA_DIR: "/data/keys" };
    const answer = await answerOf(settings, ["/data"], () => readInside("/data/keys/demo.json"));
    expect(answer).toContain("You said: Hello!");
  });

  test("with DATABASE_URL and without a demo it serves where nothing can be written", async () => {
    await using place = await createPlace();
    const port = await takePort();
    const settings = { DATABASE_URL: place.databaseUrl!, PARLEY_PORT: String(port) };
    const server = start(settings, { writable: [], args: [], user: STRANGER });
    let code: number | null | undefined;
    void server.exited.then((ended) => (code = ended));
    const isReady = await eventually(async () => {
      if (code !== undefined) return { stop: new Error(server.output.text) };
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return ready?.ok === true ? { value: true } : {};
    }, 60_000).finally(server.kill);
    await server.exited;
    expect(isReady).toBe(true);
  });

  test.for([
    [
      "a temporary folder that cannot be written",
      { PARLEY_DATA_DIR: "/data/alone" },
      ["/data"],
      USER,
      /\/tmp cannot hold the socket of PostgreSQL \(EROFS\): set TMPDIR to a directory/,
    ],
    [
      "no folder at all",
      {},
      [],
      USER,
      /\.parley cannot be used: .*set PARLEY_DATA_DIR to a directory/,
    ],
    [
      "a data directory of others",
      { PARLEY_DATA_DIR: "/root/parley" },
      ["/data"],
      USER,
      /\/root\/parley cannot be used: .*set PARLEY_DATA_DIR to a directory/,
    ],
    [
      "a user without a name",
      { PARLEY_DATA_DIR: "/tmp/parley-stranger" },
      ["/tmp"],
      STRANGER,
      /does not run as user 4322, who has no name in \/etc\/passwd: .*or set DATABASE_URL/,
    ],
  ] as const)(
    "a start with %s says in a sentence what to do",
    async ([, settings, writable, user, wanted]) => {
      const { output, exited } = start(settings, { writable, user });
      expect(await exited).toBe(1);
      const said = output.text.split("\n").filter((line) => line.startsWith("parley: "));
      expect(said).toEqual([expect.stringMatching(wanted)]);
      spawnSync("rm", ["-rf", "/tmp/parley-stranger"]);
    },
  );
});
