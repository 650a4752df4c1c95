import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestOperator } from "../../testing/operator.ts";
import { insertTestAgent, insertTestWorkspace } from "../../testing/testing.ts";
import { type AgentDirectory, createAgentDirectory } from "../agents/agent-directory.ts";
import { createReadThroughCache, type ReadThroughCache } from "./read-through-cache.ts";
import type { WorkspaceRow } from "./rows.ts";

/** How long a value is fresh: a change in another process is seen after it. */
const TTL_MS = 4000;

describe("a read-through cache", () => {
  const test = coreTest();
  let loads: string[];
  let values: Map<string, number>;
  let gate: Promise<void>;
  let cache: ReadThroughCache<number>;
  beforeEach(() => {
    loads = [];
    values = new Map([
      ["1 a", 1],
      ["2 a", 5],
    ]);
    gate = Promise.resolve();
    cache = createReadThroughCache(test.core.now, {
      subscribe: (onChange) => test.core.bus.subscribe("agents", onChange),
      load: async (key) => {
        loads.push(key);
        const value = values.get(key);
        await gate;
        return value;
      },
      isAffected: (workspaceId, key) => key.startsWith(`${workspaceId} `),
    });
  });
  afterEach(() => cache.close());

  it("caches a value for some seconds of the server's clock, and then reads it again", async () => {
    expect(await cache.get("1 a")).toBe(1);
    values.set("1 a", 2);
    test.clock.now += TTL_MS - 1;
    expect(await cache.get("1 a")).toBe(1);
    test.clock.now += 1;
    expect(await cache.get("1 a")).toBe(2);
    expect(loads).toEqual(["1 a", "1 a"]);
  });

  it("drops a value at a hint of its topic, and at no other", async () => {
    await cache.get("1 a");
    values.set("1 a", 2);
    test.core.bus.publish([{ topic: "keys", workspaceId: 1 }]);
    expect(await cache.get("1 a")).toBe(1);
    test.core.bus.publish([{ topic: "agents", workspaceId: 1 }]);
    expect(await cache.get("1 a")).toBe(2);
  });

  it("keeps a value when one of another workspace has changed", async () => {
    await cache.get("1 a");
    await cache.get("2 a");
    test.core.bus.publish([{ topic: "agents", workspaceId: 1 }]);
    await cache.get("1 a");
    await cache.get("2 a");
    expect(loads).toEqual(["1 a", "2 a", "1 a"]);
  });

  it("shares one read among concurrent calls, and reads again for a call after a change", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const early = Promise.all([1, 2, 3].map(() => cache.get("1 a")));
    expect(loads).toEqual(["1 a"]);
    values.set("1 a", 2);
    test.core.bus.publish([{ topic: "agents", workspaceId: 1 }]);
    const late = cache.get("1 a");
    expect(loads).toEqual(["1 a", "1 a"]);
    resolve();
    expect(await early).toEqual([1, 1, 1]);
    expect(await late).toBe(2);
  });

  it("does not cache what is not found", async () => {
    expect(await cache.get("1 b")).toBeUndefined();
    values.set("1 b", 3);
    expect(await cache.get("1 b")).toBe(3);
  });

  it("does not cache a value that changes during its read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const reading = cache.get("1 a");
    values.set("1 a", 2);
    test.core.bus.publish([{ topic: "agents", workspaceId: 1 }]);
    resolve();
    expect(await reading).toBe(1);
    expect(await cache.get("1 a")).toBe(2);
  });

  it("reads again after a read that failed", async () => {
    gate = Promise.reject(new Error("The database is gone"));
    await expect(cache.get("1 a")).rejects.toThrow("The database is gone");
    gate = Promise.resolve();
    expect(await cache.get("1 a")).toBe(1);
  });
});

describe("the directory of agents", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let directory: AgentDirectory;
  beforeEach(async () => {
    workspace = await insertTestWorkspace(test.core);
    for (const sid of ["ann", "bob"]) await insertTestAgent(test.core, workspace, { sid });
    directory = createAgentDirectory(test.core);
  });
  afterEach(() => directory.close());

  const find = async (sids: string[], workspaceId = workspace.id) => {
    const found = await directory.find(workspaceId, sids);
    return [...found].map(([sid, agent]) => `${sid} ${agent.name}`);
  };

  it("finds active agents in the order in which they are named, and nobody else", async () => {
    await insertTestAgent(test.core, workspace, { sid: "old", status: "archived" });
    await insertTestAgent(test.core, workspace, { sid: "a b", name: "spaced" });
    const sids = ["bob", "who", "a b", "old", "ann", " ann", ""];
    expect(await find(sids)).toEqual(["bob bob", "a b spaced", "ann ann"]);
  });

  it("keeps agents of one id in different workspaces apart", async () => {
    const other = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, other, { sid: "ann", name: "their Ann" });
    expect(await find(["ann"])).toEqual(["ann ann"]);
    expect(await find(["ann", "bob"], other.id)).toEqual(["ann their Ann"]);
  });

  it("sees a change in this process at once, and one elsewhere after some seconds", async () => {
    await find(["ann", "bob"]);
    const about = { wId: workspace.sid, agentId: "ann" };
    await openTestOperator(test.core).updateAgent({ ...about, name: "Anna" });
    expect(await find(["ann"])).toEqual(["ann Anna"]);
    const elsewhere = Object.assign(Object.create(test.core) as typeof test.core, {
      bus: { publish: () => {}, subscribe: () => () => {} },
    });
    await openTestOperator(elsewhere).archiveAgent(about);
    expect(await find(["ann"])).toEqual(["ann Anna"]);
    test.clock.now += TTL_MS;
    expect(await find(["ann"])).toEqual([]);
  });

  it("finds an agent right after it is created, also one that was asked for before", async () => {
    expect(await find(["eve"])).toEqual([]);
    await insertTestAgent(test.core, workspace, { sid: "eve" });
    expect(await find(["eve"])).toEqual(["eve eve"]);
  });
});
