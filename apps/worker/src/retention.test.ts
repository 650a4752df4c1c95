import {
  appendEvents,
  createRefusedCredentials,
  listAuditEvents,
  listFunctionVersions,
  readEvents,
  updateSandboxFunction,
} from "@parley/core";
import {
  ageTestLog,
  announceTestFile,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  openTestLog,
  type TestCore,
  testEnd,
  testToken,
} from "@parley/core/testing";
import { endpoints, type InvocationEvent, parseInput } from "@parley/schema";
import { Registry } from "prom-client";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkerSettings } from "./config.ts";
import { startRetention } from "./retention.ts";
import { createWorkerMetrics } from "./runs/metrics.ts";

const HOUR_MS = 3_600_000;
const FILES_BYTES = 100_000;
/** Room for one such file. */
const WORKSPACE_BYTES = 150_000;
const settings = WorkerSettings.parse({
  PARLEY_TOKEN_RETENTION_HOURS: "2",
  PARLEY_INVOCATION_LOG_RETENTION_DAYS: "3",
  PARLEY_AUDIT_RETENTION_DAYS: "30",
  PARLEY_VERSION_RETENTION_DAYS: "5",
  PARLEY_VERSIONS_KEPT: "2",
});

const shared = { created: 0, invocationId: "sfi_x", functionId: "sfn_x" };
const printed: InvocationEvent = {
  type: "sandbox_function_invocation_log",
  ...shared,
  stream: "stdout",
  text: "x",
};
const result: InvocationEvent = {
  type: "sandbox_function_invocation_result",
  ...shared,
  result: null,
};

const metrics = createWorkerMetrics(new Registry(), () => []);

describe("startRetention", () => {
  let test: TestCore;
  beforeAll(async () => {
    test = await openTestCore({
      fileLimits: { fileBytes: FILES_BYTES },
      workspaceBytes: WORKSPACE_BYTES,
    });
  });
  afterAll(() => test.close());

  const write = async (hours: number, prefix?: "sfi") => {
    const logId = await openTestLog(test.core, 0, prefix);
    const written =
      prefix === undefined ? [testToken("a"), testToken("b"), testEnd] : [printed, result];
    await appendEvents(test.core.database.db, [{ logId, events: written }], []);
    await ageTestLog(test.core, logId, hours * HOUR_MS);
    return logId;
  };
  const countIn = async (logId: string) =>
    (await readEvents(test.core.database.db, logId, 0)).length;
  const logged: string[] = [];
  const start = () => {
    const logger = pino({ level: "error" }, { write: (line: string) => void logged.push(line) });
    return startRetention({ core: test.core, settings, logger, metrics });
  };
  const until = async (isTrue: () => Promise<boolean> | boolean) => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it("trims at once all logs past their retention, and no others", async () => {
    const young = [await write(1), await write(71, "sfi")];
    const old = [];
    // More than one transaction trims.
    for (let count = 0; count < 120; count++) old.push(await write(3));
    const invocation = await write(73, "sfi");
    const stop = start();
    await until(async () => (await countIn(invocation)) === 1);
    await stop();
    for (const logId of old) expect(await countIn(logId)).toBe(2);
    expect(await Promise.all(young.map(countIn))).toEqual([3, 2]);
    expect(logged).toEqual([]);
  });

  it("deletes files that were not uploaded in time, which frees their quota", async () => {
    const context = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const announce = () => announceTestFile(context, { fileSize: FILES_BYTES });
    await announce();
    await expect(announce()).rejects.toMatchObject({ type: "budget_exceeded" });
    test.clock.now += HOUR_MS;
    const stop = start();
    await until(() => {
      // A refusal asks for a count, once in a second.
      test.clock.now += 2000;
      return announce().then(
        () => true,
        () => false,
      );
    });
    await stop();
  });

  it("stops in the middle of a sweep, after the current transaction", async () => {
    const old = [];
    for (let count = 0; count < 120; count++) old.push(await write(3));
    await start()();
    const counts = await Promise.all(old.map(countIn));
    // Those of its first transaction.
    expect(counts.filter((count) => count === 2)).toHaveLength(50);
    expect(counts.filter((count) => count === 3)).toHaveLength(70);
  });

  it("deletes old versions beside the newest", async () => {
    const workspace = await insertTestWorkspace(test.core);
    await insertTestFunction(test.core, workspace, { slug: "add" });
    const context = await openTestContext(test.core, workspace, "builder");
    const named = { wId: workspace.sid, functionId: "add" };
    for (let version = 1; version < 4; version++) {
      const change = { ...named, version, description: `${version}` };
      await updateSandboxFunction(
        context,
        parseInput(endpoints["sandboxFunctions.update"], change),
      );
    }
    const list = parseInput(endpoints["sandboxFunctions.listVersions"], named);
    const count = async () => (await listFunctionVersions(context, list)).versions.length;
    await start()();
    expect(await count()).toBe(4);
    test.clock.now += 5 * 24 * HOUR_MS + 1;
    const stop = start();
    await until(async () => (await count()) < 4);
    await stop();
    expect(await count()).toBe(2);
    expect(logged).toEqual([]);
  });

  it("deletes audit events past their retention", async () => {
    const context = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const note = async () => {
      const onError = (error: unknown) => expect.unreachable(String(error));
      const refused = createRefusedCredentials(test.core, { onError });
      const from = { clientIp: "192.0.2.1", route: "GET /", requestId: "request" };
      refused.note({ type: "invalid_api_key_error", caller: context.caller, ...from });
      await refused.close();
    };
    const list = async () =>
      (await listAuditEvents(context, parseInput(endpoints["audit.list"], {}))).auditEvents;
    const keptMs = 30 * 24 * HOUR_MS;
    test.clock.now -= keptMs + 1;
    await note();
    test.clock.now += keptMs + 1;
    await note();
    expect(await list()).toHaveLength(2);
    const stop = start();
    await until(async () => (await list()).length === 1);
    await stop();
    expect(await list()).toMatchObject([{ at: test.clock.now }]);
  });
});

describe("startRetention, if a sweep fails each time", () => {
  it("logs which, and sweeps the others", async () => {
    const test = await openTestCore();
    const { db } = test.core.database;
    const context = await openTestContext(test.core, await insertTestWorkspace(test.core));
    await announceTestFile(context, { fileSize: 1 });
    test.clock.now += HOUR_MS;
    await db.execute("alter table skill_definitions rename created_at to made_at");
    const logged: unknown[] = [];
    const write = (line: string) => void logged.push(JSON.parse(line));
    const logger = pino({ level: "error" }, { write });
    const ended = Promise.withResolvers<string>();
    const swept: string[] = [];
    const noted = {
      swept: (what: string) => void swept.push(what),
      sweepEnded: ended.resolve,
      usage: metrics.usage,
      indexed: metrics.indexed,
    };
    const stop = startRetention({ core: test.core, settings, logger, metrics: noted });
    expect(await ended.promise).toBe("failed");
    await stop();
    expect(swept).toContain("files");
    expect(logged).toMatchObject([{ msg: "A sweep failed", sweep: "skill_versions" }]);
    await test.close();
  });
});

describe("startRetention, without its database", () => {
  it("logs a sweep that failed", async () => {
    const test = await openTestCore();
    await test.close();
    const logged = Promise.withResolvers<string>();
    const logger = pino({ level: "error" }, { write: logged.resolve });
    const stop = startRetention({ core: test.core, settings, logger, metrics });
    expect(await logged.promise).toContain("A sweep failed");
    await stop();
  });
});
