import { execFile, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clusterIn } from "./cluster.ts";
import { NoEmbeddedDatabase } from "./refusals.ts";
import { startEmbedded } from "./start-embedded.ts";

const run = promisify(execFile);

/** Another process that starts the database in the directory given to it, stops it and ends. */
const STARTER = `
import { startEmbedded } from ${JSON.stringify(new URL("start-embedded.ts", import.meta.url).href)};
try {
  const server = await startEmbedded(process.argv[1]);
  await server.stop();
} catch (error) {
  process.stdout.write(error.name + ": " + error.message);
}
`;
const starter = ["--input-type=module", "--eval", STARTER];

const DAEMON = 1;
const NOBODY = 65_534;
const NAMELESS = 54_321;
const isLinuxRoot = process.platform === "linux" && process.geteuid?.() === 0;
const hasNamespaces = isLinuxRoot && spawnSync("unshare", ["--user", "true"]).status === 0;
/** Whether other users can read the workspace, as they cannot below the home of root. */
const isReadable =
  isLinuxRoot && spawnSync(process.execPath, starter, { uid: NOBODY, cwd: "/" }).status === 0;

describe.skipIf(!isLinuxRoot)("PostgreSQL of root", () => {
  let folder: string;
  let directory: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "parley-account-"));
    directory = path.join(folder, "data");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const startOnce = async () => (await startEmbedded(directory)).stop();
  const ownersOf = async (...files: string[]) =>
    Promise.all(files.map(async (file) => (await stat(file)).uid));
  const owners = () => ownersOf(directory, clusterIn(directory));

  it("runs as nobody in a folder that others can enter", async () => {
    await chmod(folder, 0o755);
    await startOnce();
    expect(await owners()).toEqual([NOBODY, NOBODY]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it.skipIf(!hasNamespaces)(
    "runs as root in its own eyes alone, in a folder of root's",
    async () => {
      await startOnce();
      expect(await owners()).toEqual([0, 0]);
    },
  );

  it("runs as the one whose folder it is", async () => {
    await chown(folder, DAEMON, DAEMON);
    await startOnce();
    expect(await owners()).toEqual([DAEMON, DAEMON]);
  });

  it.skipIf(!hasNamespaces)("starts as well if its directory has moved", async () => {
    await chmod(folder, 0o755);
    await startOnce();
    await chmod(folder, 0o700);
    await startOnce();
    expect(await owners()).toEqual([0, 0]);
    await chmod(folder, 0o755);
    await startOnce();
    expect(await owners()).toEqual([NOBODY, NOBODY]);
  });

  it("that runs nowhere is refused in one sentence", async () => {
    // Like a container: its root may become no other user, and make no namespaces.
    const alone = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"';
    const words = ["--user", "--map-root-user", "sh", "-c", alone, process.execPath, ...starter];
    const { stdout } = await run("unshare", [...words, directory]);
    expect(stdout).toMatch(
      new RegExp(`^${NoEmbeddedDatabase.name}: PostgreSQL does not run as root`),
    );
  });

  describe.skipIf(!isReadable)("is not needed:", () => {
    it.each([
      ["a user", NOBODY],
      ["a user without a name", NAMELESS],
    ])("%s starts it", async (_name, uid) => {
      await mkdir(directory, { mode: 0o700 });
      await chmod(folder, 0o755);
      await chown(directory, uid, uid);
      const { stdout } = await run(process.execPath, [...starter, directory], { uid, gid: uid });
      expect(stdout).toBe("");
      expect(await owners()).toEqual([uid, uid]);
    });
  });
});
