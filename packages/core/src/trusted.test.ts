import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AgentDirectory, createAgentDirectory } from "./agent-directory.ts";
import type { WorkspaceRow } from "./rows.ts";
import {
  drivers,
  insertTestAgent,
  insertTestWorkspace,
  openTestCore,
  type TestCore,
} from "./testing.ts";
import { openTestOperator } from "./testing-operator.ts";
import { createTrusted, type Trusted } from "./trusted.ts";

/** How long a value is believed: a change in another process is seen after it. */
const TRUST_MS = 4000;

describe("what is trusted", () => {
  let test: TestCore;
  let loads: string[];
  let values: Map<string, number>;
  let gate: Promise<void>;
  let trusted: Trusted<number>;
  beforeAll(async () => void (test = await openTestCore("pglite")));
  beforeEach(() => {
    loads = [];
    values = new Map([["a", 1]]);
    gate = Promise.resolve();
    trusted = createTrusted(test.core, "agents", async (key) => {
      loads.push(key);
      const value = values.get(key);
      await gate;
      return value;
    });
  });
  afterEach(() => trusted.close());
  afterAll(() => test.close());

  it("is remembered for some seconds of the server's clock, and then read again", async () => {
    expect(await trusted.get("a")).toBe(1);
    values.set("a", 2);
    test.clock.now += TRUST_MS - 1;
    expect(await trusted.get("a")).toBe(1);
    test.clock.now += 1;
    expect(await trusted.get("a")).toBe(2);
    expect(loads).toEqual(["a", "a"]);
  });

  it("is forgotten at a hint of its topic, and of no other", async () => {
    await trusted.get("a");
    values.set("a", 2);
    test.core.bus.publish([{ topic: "keys" }]);
    expect(await trusted.get("a")).toBe(1);
    test.core.bus.publish([{ topic: "agents" }]);
    expect(await trusted.get("a")).toBe(2);
  });

  it("is not remembered where it is not found", async () => {
    expect(await trusted.get("b")).toBeUndefined();
    values.set("b", 3);
    expect(await trusted.get("b")).toBe(3);
  });

  it("is not kept when it changes while it is read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const reading = trusted.get("a");
    values.set("a", 2);
    test.core.bus.publish([{ topic: "agents" }]);
    resolve();
    expect(await reading).toBe(1);
    expect(await trusted.get("a")).toBe(2);
  });

  it("is read again after an attempt that failed", async () => {
    gate = Promise.reject(new Error("The database is gone"));
    await expect(trusted.get("a")).rejects.toThrow("The database is gone");
    gate = Promise.resolve();
    expect(await trusted.get("a")).toBe(1);
  });
});

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`the directory of agents ${suite}`, () => {
    let test: TestCore;
    let workspace: WorkspaceRow;
    let directory: AgentDirectory;
    beforeAll(async () => void (test = await openTestCore(driver)));
    beforeEach(async () => {
      workspace = await insertTestWorkspace(test.core);
      for (const sid of ["ann", "bob"]) await insertTestAgent(test.core, workspace, { sid });
      directory = createAgentDirectory(test.core);
    });
    afterEach(() => directory.close());
    afterAll(() => test.close());

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
      const about = { workspaceId: workspace.sid, agentId: "ann" };
      await openTestOperator(test.core).updateAgent({ ...about, name: "Anna" });
      expect(await find(["ann"])).toEqual(["ann Anna"]);
      const elsewhere = Object.assign(Object.create(test.core) as typeof test.core, {
        bus: { publish: () => {}, subscribe: () => () => {} },
      });
      await openTestOperator(elsewhere).archiveAgent(about);
      expect(await find(["ann"])).toEqual(["ann Anna"]);
      test.clock.now += TRUST_MS;
      expect(await find(["ann"])).toEqual([]);
    });

    it("finds an agent right after it is created, also one that was asked for before", async () => {
      expect(await find(["eve"])).toEqual([]);
      await insertTestAgent(test.core, workspace, { sid: "eve" });
      expect(await find(["eve"])).toEqual(["eve eve"]);
    });
  });
}
