import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { failAsProcess, sentenceOf } from "../start/fail-to-start.ts";
import {
  createPlace,
  type Place,
  type Settings,
  settingsFor,
  shareServer,
  startProgram,
  startServer,
  within,
} from "../server.ts";
import { canMount, fill, mountDisk, type SmallDisk } from "./small-disk.ts";

// A start that cannot succeed says why in one line, and harms nothing.

describe("beside a server that runs", { timeout: 60_000 }, () => {
  const server = shareServer({}, { isEmbedded: true });

  test("a second one on its data directory is refused within 2 s, naming the holder", async () => {
    const { place, demo } = server();
    const file = path.join(place.directory, "demo.json");
    const before = await readFile(file, "utf8");
    // What the runtime itself takes to start is not the lock's.
    const startedAt = performance.now();
    const help = startProgram(["--help"], {});
    expect(await help.exited).toBe(0);
    const startMs = performance.now() - startedAt;

    const refusedAt = performance.now();
    const line = sentenceOf(await failAsProcess(settingsFor(place)));
    expect(performance.now() - refusedAt - startMs).toBeLessThan(2000);
    expect(line).toContain(place.directory);
    expect(line).toContain(`process ${demo.pid}`);

    expect(await readFile(file, "utf8")).toBe(before);
    expect((await send(server(), { path: pathsOf(server()).skills })).status).toBe(200);
  });

  test("a port that is taken leaves no demo file", async () => {
    await using place = await createPlace();
    const { port } = new URL(server().url);
    const line = sentenceOf(await failAsProcess({ ...settingsFor(place), PARLEY_PORT: port }));
    expect(line).toContain(`port ${port} of 127.0.0.1 is in use`);
    await expect(stat(path.join(place.directory, "demo.json"))).rejects.toThrow("ENOENT");
  });

  test("the demo file is only its owner's", async () => {
    const { directory } = server().place;
    expect((await stat(path.join(directory, "demo.json"))).mode & 0o777).toBe(0o600);
  });
});

test("a data directory that cannot be made is one line", { timeout: 60_000 }, async () => {
  await using place = await createPlace({ isEmbedded: true, isBare: true });
  const file = path.join(path.dirname(place.directory), "file");
  await writeFile(file, "");
  // Below a regular file nobody can make a directory, root included.
  const below = path.join(file, "data");
  const line = sentenceOf(await failAsProcess({ ...settingsFor(place), PARLEY_DATA_DIR: below }));
  expect(line).toContain(below);
  const itself = sentenceOf(await failAsProcess({ ...settingsFor(place), PARLEY_DATA_DIR: file }));
  expect(itself).toContain(file);
});

describe.skipIf(!canMount)("a data directory", { timeout: 60_000 }, () => {
  const startOn = async (disk: SmallDisk): Promise<string> => {
    const directory = path.join(disk.path, "data");
    await using place = await createPlace({ isEmbedded: true, isBare: true });
    const line = sentenceOf(
      await failAsProcess({ ...settingsFor(place), PARLEY_DATA_DIR: directory }),
    );
    expect(line).toContain(directory);
    return line;
  };

  test.each(["300k", "20m"])("on a full disk of %s is one line", async (size) => {
    await using disk = await mountDisk(size);
    expect(await startOn(disk)).toMatch(/its disk is full: free some space$/);
  });

  test("that a server has filled is one line", async () => {
    await using disk = await mountDisk("120m");
    await using made = await createPlace({ isEmbedded: true });
    await cp(made.directory, path.join(disk.path, "data"), { recursive: true });
    await fill(disk);
    expect(await startOn(disk)).toMatch(/its disk is full: free some space$/);
  });

  test("on a disk that is only for reading is one line", async () => {
    await using disk = await mountDisk("1m");
    await mkdir(path.join(disk.path, "data"));
    await disk.freeze();
    expect(await startOn(disk)).toMatch(/its disk is read-only: set PARLEY_DATA_DIR/);
  });
});

test("a command line that is not understood is one line", async () => {
  const commands = [["serve", "now"], ["sreve"], ["serve", "--nonsense"]];
  const programs = commands.map((args) => startProgram(args, {}));
  for (const { exited, output } of programs) {
    expect(await within(30_000, exited)).toBe(2);
    expect(sentenceOf(output.stderr)).not.toBe("");
  }
});

describe("keys", { timeout: 60_000 }, () => {
  const keys = {
    PARLEY_ADMIN_KEY: "sk-admin-of-the-demo",
    PARLEY_USER_KEY: "sk-user-of-the-demo",
    PARLEY_OPERATOR_KEY: "sk-operator.of~the+demo/==",
  };
  /** Starts a server whose keys are good; only its admin key is an admin's. */
  const expectKeys = async (place: Place, settings: Settings): Promise<string[]> => {
    await using server = await startServer(place, settings);
    const { adminKey, userKey, operatorKey, workspaceId } = server.demo;
    const statusOf = async (key: string, asked: string) =>
      (await send(server, { path: asked, key })).status;
    const bypass = `${pathsOf(server).skills}?bypassEditorVisibility=true`;
    expect(await statusOf(adminKey, bypass)).toBe(200);
    expect(await statusOf(userKey, bypass)).toBe(403);
    const input = encodeURIComponent(JSON.stringify({ json: { wId: workspaceId } }));
    expect(await statusOf(operatorKey, `/rpc/apiKeys.list?input=${input}`)).toBe(200);
    const replaced = adminKey === keys.PARLEY_ADMIN_KEY ? "sk-nobody" : keys.PARLEY_ADMIN_KEY;
    expect(await statusOf(replaced, bypass)).toBe(401);
    return [adminKey, userKey, operatorKey];
  };

  test("the settings make them, they stay, and other settings change them", async () => {
    await using place = await createPlace();
    const set = await expectKeys(place, keys);
    expect(set).toEqual(Object.values(keys));
    const changed = await expectKeys(place, { PARLEY_ADMIN_KEY: "sk-another" });
    expect(changed).toEqual(["sk-another", keys.PARLEY_USER_KEY, keys.PARLEY_OPERATOR_KEY]);
  });

  test("one key for two purposes is one line", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const both = { PARLEY_ADMIN_KEY: "sk-same", PARLEY_USER_KEY: "sk-same" };
    const line = sentenceOf(await failAsProcess({ ...settingsFor(place), ...both }));
    expect(line).toMatch(/demo user|PARLEY_USER_KEY/);
    expect(line).not.toContain("sk-same");
  });
});
