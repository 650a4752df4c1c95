import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  openHostedServer,
  type Place,
  type Server,
  type Settings,
  settingsFor,
  startProgram,
  startServer,
  within,
} from "../server.ts";

// The demo on a database with other things in it: it touches what it made, and nothing else.

/** Makes the first operator key of a server. */
async function bootstrap(place: Place): Promise<string> {
  const environment = settingsFor(place);
  const { code, stdout, stderr } = await runCli(["keys", "bootstrap"], { environment });
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

/** Makes a workspace called Demo, on a server without a demo. */
async function createNamesake(place: Place, operatorKey: string) {
  const program = startProgram(["serve"], settingsFor(place));
  const url = await eventually(async () => {
    const [, value] = /Server listening at (http:[^"\s]+)/.exec(program.output.stderr) ?? [];
    return value === undefined ? {} : { value };
  }, 30_000);
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const made = await operator.workspaces.create.mutate({ name: "Demo" });
  program.signal("SIGTERM");
  expect(await within(12_000, program.exited)).toBe(0);
  return made;
}

/** Starts a server that writes no demo file; gives its URL, and stops it at the end. */
async function serveWithoutDemo(place: Place, args: readonly string[], settings: Settings = {}) {
  const program = startProgram(args, { ...settingsFor(place), ...settings });
  const url = await eventually(async () => {
    const [, value] = /Parley listens on (http:\S+)/.exec(program.output.stdout) ?? [];
    return value === undefined ? {} : { value };
  }, 30_000);
  return {
    url,
    output: program.output,
    [Symbol.asyncDispose]: async () => {
      program.signal("SIGTERM");
      expect(await within(12_000, program.exited)).toBe(0);
    },
  };
}

/** The names of the keys of a workspace that are in use. */
async function keysInUse(url: string, operatorKey: string, workspaceId: string) {
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { apiKeys } = await operator.apiKeys.list.query({ wId: workspaceId });
  return apiKeys.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name);
}

/** Whether an operator may call with the key. */
const isOperators = ({ url }: { url: string }, apiKey: string): Promise<boolean> =>
  createRpcClient({ url, apiKey })
    .audit.list.query({})
    .then(
      () => true,
      () => false,
    );

const worksFor = async (server: Server, key: string) =>
  (await send(server, { path: pathsOf(server).skills, key })).status === 200;

describe("the demo of a server that others use", { timeout: 120_000 }, () => {
  test("leaves the operator key and a workspace of its name as they are", async () => {
    await using place = await createPlace();
    const operatorKey = await bootstrap(place);
    const { workspace, adminKey } = await createNamesake(place, operatorKey);
    await using server = await openHostedServer(place);
    const operator = createRpcClient({ url: server.url, apiKey: operatorKey });
    expect(server.demo.workspaceId).not.toBe(workspace.sId);
    const workspaceId = workspace.sId;
    const { apiKeys } = await operator.apiKeys.list.query({ wId: workspaceId });
    expect(apiKeys.map(({ name, revokedAt }) => [name, revokedAt])).toEqual([["admin", null]]);
    const owner = createRpcClient({ url: server.url, apiKey: adminKey });
    expect(await owner.agents.list.query({ wId: workspaceId })).toEqual({
      agentConfigurations: [],
    });
  });

  test("is the same after another start, also without its file, and on another server", async () => {
    await using place = await createPlace();
    const file = path.join(place.directory, "demo.json");
    const first = await openHostedServer(place);
    await first[Symbol.asyncDispose]();
    const again = await openHostedServer(place);
    const { url: _url, ...keys } = first.demo;
    expect(again.demo).toMatchObject({ ...keys, startedAt: expect.any(String) });
    // Another server on the same database, with a directory of its own.
    const directory = path.join(os.tmpdir(), `parley-e2e-${process.pid}-other`);
    const elsewhere: Place = { ...place, directory };
    const other = await openHostedServer(elsewhere);
    expect(other.demo.workspaceId).toBe(first.demo.workspaceId);
    expect(other.demo.adminKey).not.toBe(first.demo.adminKey);
    expect(await worksFor(again, first.demo.adminKey)).toBe(true);
    expect(await worksFor(again, other.demo.userKey)).toBe(true);
    await other[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
    await again[Symbol.asyncDispose]();
    await rm(file);
    await using last = await openHostedServer(place);
    expect(last.demo.workspaceId).toBe(first.demo.workspaceId);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      adminKey: last.demo.adminKey,
    });
    // Whose file is gone, only its administrators can say.
    expect(await worksFor(last, first.demo.adminKey)).toBe(true);
  });

  test("makes nothing of a file that names what its keys are not of", async () => {
    await using place = await createPlace();
    const operatorKey = await bootstrap(place);
    const { workspace } = await createNamesake(place, operatorKey);
    const named = { workspaceId: workspace.sId, adminKey: "sk-planted", userKey: "sk-planted-too" };
    const content = { ...named, operatorKey, spaceId: "x", agents: [], functions: [] };
    await mkdir(place.directory, { mode: 0o700, recursive: true });
    await writeFile(path.join(place.directory, "demo.json"), JSON.stringify(content));
    await using server = await openHostedServer(place);
    expect(server.demo.workspaceId).not.toBe(workspace.sId);
    const operator = createRpcClient({ url: server.url, apiKey: operatorKey });
    const { apiKeys } = await operator.apiKeys.list.query({ wId: workspace.sId });
    expect(apiKeys).toHaveLength(1);
  });
});

test(
  "a directory of its own replaces the keys of a demo file that is gone",
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace({ isEmbedded: true });
    const first = await startServer(place);
    await first[Symbol.asyncDispose]();
    await rm(path.join(place.directory, "demo.json"));
    await using last = await startServer(place);
    expect(last.demo.workspaceId).toBe(first.demo.workspaceId);
    expect(await worksFor(last, first.demo.adminKey)).toBe(false);
    expect(await worksFor(last, last.demo.adminKey)).toBe(true);
  },
);

describe("the demo", { timeout: 120_000 }, () => {
  test("never revokes an operator key that somebody else has made", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const file = path.join(place.directory, "demo.json");
    const operatorKey = await bootstrap(place);
    // The setting names it, and so does the demo file.
    const first = await startServer(place, { PARLEY_OPERATOR_KEY: operatorKey });
    expect(first.demo.operatorKey).toBe(operatorKey);
    await first[Symbol.asyncDispose]();
    await rm(file);
    const second = await startServer(place);
    expect(second.demo.operatorKey).not.toBe(operatorKey);
    expect(await isOperators(second, operatorKey)).toBe(true);
    await second[Symbol.asyncDispose]();
    await using third = await startServer(place, { PARLEY_OPERATOR_KEY: "sk-another" });
    expect(await isOperators(third, operatorKey)).toBe(true);
    expect(await isOperators(third, "sk-another")).toBe(true);
    // Its own is replaced.
    expect(await isOperators(third, second.demo.operatorKey)).toBe(false);
  });

  test("never revokes a key of its workspace that an administrator has made", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const first = await startServer(place);
    const { workspaceId, operatorKey } = first.demo;
    const operator = createRpcClient({ url: first.url, apiKey: operatorKey });
    const named = { wId: workspaceId, name: "of an administrator", role: "admin" } as const;
    const { secret } = await operator.apiKeys.create.mutate(named);
    await first[Symbol.asyncDispose]();
    const second = await startServer(place, { PARLEY_ADMIN_KEY: secret });
    expect(second.demo.adminKey).toBe(secret);
    await second[Symbol.asyncDispose]();
    await using third = await startServer(place, { PARLEY_ADMIN_KEY: "sk-another" });
    expect(await keysInUse(third.url, operatorKey, workspaceId)).toContain(named.name);
    expect(await worksFor(third, secret)).toBe(true);
    expect(await worksFor(third, first.demo.adminKey)).toBe(false);
  });

  test("does not restore a key that an administrator has revoked, and says what to do", async () => {
    await using place = await createPlace();
    const first = await openHostedServer(place);
    const { workspaceId, operatorKey, adminKey } = first.demo;
    const operator = createRpcClient({ url: first.url, apiKey: operatorKey });
    const { apiKeys } = await operator.apiKeys.list.query({ wId: workspaceId });
    const { sId: keyId = "" } = apiKeys.find(({ role }) => role === "admin") ?? {};
    await operator.apiKeys.revoke.mutate({ wId: workspaceId, keyId });
    await first[Symbol.asyncDispose]();
    await expect(openHostedServer(place)).rejects.toThrow(
      "The key for demo admin was revoked: choose another (PARLEY_ADMIN_KEY), or set PARLEY_DEMO=off",
    );
    await using other = await openHostedServer(place, { PARLEY_ADMIN_KEY: "sk-another" });
    expect(await worksFor(other, adminKey)).toBe(false);
    expect(await worksFor(other, "sk-another")).toBe(true);
  });

  test("accepts a rotated key of the settings for its overlap, and never makes it valid again", async () => {
    await using place = await createPlace();
    const setting = { PARLEY_OPERATOR_KEY: "sk-of-the-settings" };
    const first = await openHostedServer(place, setting);
    const operator = createRpcClient({ url: first.url, apiKey: setting.PARLEY_OPERATOR_KEY });
    const { operatorKeys } = await operator.operatorKeys.list.query({});
    const keyId = operatorKeys[0]?.sId ?? "";
    expect(operatorKeys).toHaveLength(1);
    const overlapping = await operator.operatorKeys.rotate.mutate({ keyId, overlapSeconds: 600 });
    await first[Symbol.asyncDispose]();
    const second = await openHostedServer(place, setting);
    expect(await isOperators(second, setting.PARLEY_OPERATOR_KEY)).toBe(true);
    expect(await isOperators(second, overlapping.secret)).toBe(true);
    const own = createRpcClient({ url: second.url, apiKey: overlapping.secret });
    const { secret } = await own.operatorKeys.rotate.mutate({ keyId, evenIfLast: true });
    await second[Symbol.asyncDispose]();
    for (const PARLEY_OPERATOR_KEY of [setting.PARLEY_OPERATOR_KEY, overlapping.secret]) {
      await expect(openHostedServer(place, { PARLEY_OPERATOR_KEY })).rejects.toThrow(
        "The key for operator was rotated: set its new secret (PARLEY_OPERATOR_KEY)",
      );
    }
    await using last = await openHostedServer(place, { PARLEY_OPERATOR_KEY: secret });
    expect(await isOperators(last, secret)).toBe(true);
    const page = await createRpcClient({ url: last.url, apiKey: secret }).operatorKeys.list.query(
      {},
    );
    expect(page.operatorKeys.map(({ sId, revokedAt }) => [sId, revokedAt])).toEqual([
      [keyId, null],
    ]);
  });

  test("counts an expired operator key as none", async () => {
    await using place = await createPlace();
    const server = await openHostedServer(place);
    const operator = createRpcClient({ url: server.url, apiKey: server.demo.operatorKey });
    const { operatorKeys } = await operator.operatorKeys.list.query({});
    await operator.operatorKeys.create.mutate({ name: "expired", expiresAt: Date.now() - 1 });
    const keyId = operatorKeys[0]?.sId ?? "";
    await operator.operatorKeys.revoke.mutate({ keyId, evenIfLast: true });
    await server[Symbol.asyncDispose]();
    expect(await bootstrap(place)).toMatch(/^sk-/);
  });

  test.for([true, false])("stays deleted on later starts (embedded: %s)", async (isEmbedded) => {
    await using place = await createPlace({ isEmbedded });
    const first = await openHostedServer(place);
    const { workspaceId, operatorKey } = first.demo;
    const operator = createRpcClient({ url: first.url, apiKey: operatorKey });
    await operator.workspaces.delete.mutate({ wId: workspaceId });
    await first[Symbol.asyncDispose]();
    await using again = await serveWithoutDemo(place, ["serve", "--demo"]);
    expect(again.output.stderr).toContain("The demo workspace was deleted");
    const later = createRpcClient({ url: again.url, apiKey: operatorKey });
    const { auditEvents } = await later.audit.list.query({ action: "workspaces.create" });
    expect(auditEvents).toHaveLength(1);
    await expect(later.workspaces.get.query({ wId: workspaceId })).rejects.toThrow(
      "no such workspace",
    );
  });

  test("is off with PARLEY_DEMO=off, whatever the command says", async () => {
    await using place = await createPlace({ isEmbedded: true });
    const operatorKey = await bootstrap(place);
    await using server = await serveWithoutDemo(place, ["serve", "--demo"], { PARLEY_DEMO: "off" });
    await expect(readFile(path.join(place.directory, "demo.json"))).rejects.toThrow("ENOENT");
    const operator = createRpcClient({ url: server.url, apiKey: operatorKey });
    const { auditEvents } = await operator.audit.list.query({ action: "workspaces.create" });
    expect(auditEvents).toEqual([]);
  });
});
