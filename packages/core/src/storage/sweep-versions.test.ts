import { randomBytes } from "node:crypto";
import {
  agents,
  feedbacks,
  invocations,
  messages,
  sandboxFunctions,
  sandboxFunctionVersions,
  skillDefinitions,
  skills,
  workspaceStorage,
} from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createTestConversation, insertTestFunction } from "../../testing/testing.ts";
import { giveFeedback } from "../conversations/feedbacks.ts";
import { getConversation } from "../conversations/conversation-content.ts";
import { updateSandboxFunction } from "../functions/function-administration.ts";
import { listFunctionVersions } from "../functions/list-versions.ts";
import { createInvocationSweep } from "../invocations/sweep-invocations.ts";
import { getInvocation } from "../invocations/read-invocations.ts";
import { invokeSandboxFunction } from "../invocations/invoke.ts";
import { createSkill, updateSkill } from "../skills/skill-administration.ts";
import { countStorage } from "./count-storage.ts";
import { createVersionSweep, type VersionKind } from "./sweep-versions.ts";

const DAY_MS = 24 * 3_600_000;
const RETENTION_MS = 90 * DAY_MS;
const KEPT = 3;
const LIMIT_BYTES = 2 ** 30;

const model = { providerId: "simulated", modelId: "simulated-1" };
/** More than a row holds without a place of its own, and less after compression for some. */
const longText = (bytes: number) => `${randomBytes(bytes / 4).toString("hex")}${"x".repeat(bytes)}`;

describe("old versions", () => {
  const test = workspaceTest({ parts: { workspaceBytes: LIMIT_BYTES }, role: "builder" });

  const db = () => test.core.database.db;
  const pass = (days: number) => void (test.clock.now += days * DAY_MS);
  const sweep = async (kind: VersionKind, kept = KEPT) => {
    const once = createVersionSweep(test.core, { kind, retentionMs: RETENTION_MS, kept });
    let swept = 0;
    for (let found = 1; found > 0; swept += found) found = await once();
    return swept;
  };

  const createAgent = async (instructions = "") => {
    const given = { wId: test.workspaceId, name: "Ann", description: "", model, instructions };
    return (await test.operator.createAgent(given)).agentConfiguration.sId;
  };
  const changeAgent = (agentId: string, instructions: string) =>
    test.operator.updateAgent({ wId: test.workspaceId, agentId, instructions });
  const versionsOfAgent = async (sid: string) => {
    const rows = await db()
      .select({ version: agents.version })
      .from(agents)
      .where(eq(agents.sid, sid))
      .orderBy(asc(agents.version));
    return rows.map(({ version }) => version);
  };

  const changeFunction = async (slug: string, description: string) => {
    const [found] = await db()
      .select({ version: sandboxFunctions.version })
      .from(sandboxFunctions)
      .where(eq(sandboxFunctions.slug, slug));
    const { version } = found!;
    const input = { wId: test.workspaceId, functionId: slug, version, description };
    await updateSandboxFunction(
      test.context,
      parseInput(endpoints["sandboxFunctions.update"], {
        ...input,
        inputSchema: { description: longText(4000) },
      }),
    );
  };
  const versionsOfFunction = async (slug: string) => {
    const rows = await db()
      .select({ version: sandboxFunctionVersions.version })
      .from(sandboxFunctionVersions)
      .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, sandboxFunctionVersions.functionId))
      .where(eq(sandboxFunctions.slug, slug))
      .orderBy(asc(sandboxFunctionVersions.version));
    return rows.map(({ version }) => version);
  };
  const invoke = (slug: string) =>
    invokeSandboxFunction(test.context, { functionId: slug, input: {} });
  const endInvocations = () =>
    db().update(invocations).set({ status: "succeeded", finishedAt: test.clock.now });

  const newSkill = async (instructions = "") => {
    const given = {
      wId: test.workspaceId,
      name: "Greet",
      agentFacingDescription: "",
      instructions,
    };
    return (await createSkill(test.context, given as never)).skill.sId;
  };
  const changeSkill = async (sid: string, instructions: string) => {
    const [found] = await db()
      .select({ version: skills.version })
      .from(skills)
      .where(eq(skills.sid, sid));
    const input = { wId: test.workspaceId, skillId: sid, version: found!.version, instructions };
    await updateSkill(test.context, input as never);
  };
  const versionsOfSkill = async (sid: string) => {
    const rows = await db()
      .select({ version: skillDefinitions.version })
      .from(skillDefinitions)
      .innerJoin(skills, eq(skills.id, skillDefinitions.skillId))
      .where(eq(skills.sid, sid))
      .orderBy(asc(skillDefinitions.version));
    return rows.map(({ version }) => version);
  };

  it("stay while they are among the newest, or were replaced lately", async () => {
    const agent = await createAgent();
    await insertTestFunction(test.core, test.workspace, { slug: "add" });
    const skill = await newSkill();
    // The first ones are old, but were replaced only now.
    pass(200);
    for (let version = 1; version <= 4; version++) {
      await changeAgent(agent, `${version}`);
      await changeFunction("add", `${version}`);
      await changeSkill(skill, `${version}`);
      pass(10);
    }
    expect([await sweep("agent"), await sweep("function"), await sweep("skill")]).toEqual([
      0, 0, 0,
    ]);
    // The first was replaced 90 days ago, and the second 80.
    pass(50);
    test.clock.now += 1;
    expect([await sweep("agent"), await sweep("function"), await sweep("skill")]).toEqual([
      1, 1, 1,
    ]);
    pass(1000);
    for (const kind of ["agent", "function", "skill"] as const) {
      expect([await sweep(kind), await sweep(kind)]).toEqual([1, 0]);
    }
    expect(await versionsOfAgent(agent)).toEqual([2, 3, 4]);
    expect(await versionsOfFunction("add")).toEqual([3, 4, 5]);
    expect(await versionsOfSkill(skill)).toEqual([2, 3, 4]);
    for (const kind of ["agent", "function", "skill"] as const) await sweep(kind, 1);
    expect(await versionsOfAgent(agent)).toEqual([4]);
    // What is left can be read and changed.
    await changeAgent(agent, "5");
    await changeFunction("add", "5");
    await changeSkill(skill, "5");
    const { versions, hasMore } = await listFunctionVersions(
      test.context,
      parseInput(endpoints["sandboxFunctions.listVersions"], {
        wId: test.workspaceId,
        functionId: "add",
      }),
    );
    expect([versions.map(({ version }) => version), hasMore]).toEqual([[6, 5], false]);
  });

  it("of an agent stay while a message or feedback names them", async () => {
    const agent = await createAgent("first");
    const { conversation } = await createTestConversation(test.context, [agent]);
    const [answer] = await db()
      .select({ sid: messages.sid })
      .from(messages)
      .where(eq(messages.type, "agent_message"));
    for (let version = 1; version <= 5; version++) await changeAgent(agent, `${version}`);
    pass(1000);
    expect(await sweep("agent")).toBe(2);
    expect(await versionsOfAgent(agent)).toEqual([0, 3, 4, 5]);
    const { content } = (await getConversation(test.context, { cId: conversation.sId }))
      .conversation;
    expect(content.flat().at(-1)).toMatchObject({ configuration: { instructions: "first" } });
    const named = { cId: conversation.sId, mId: answer!.sid };
    await giveFeedback(test.context, { ...named, thumbDirection: "up" } as never);
    await db().delete(messages);
    expect(await sweep("agent")).toBe(0);
    await db().delete(feedbacks);
    expect(await sweep("agent")).toBe(1);
    expect(await versionsOfAgent(agent)).toEqual([3, 4, 5]);
  });

  it("of a function stay while an invocation from their time is left", async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "sum" });
    await changeFunction("sum", "2");
    pass(5);
    const { invocation } = await invoke("sum");
    for (let version = 3; version <= 7; version++) {
      await changeFunction("sum", `${version}`);
      pass(1);
    }
    pass(500);
    // The first was replaced before the invocation.
    expect(await sweep("function")).toBe(1);
    // One that has not ended is never swept, and needs its version.
    const forget = createInvocationSweep(test.core, { retentionMs: DAY_MS });
    while ((await forget()) > 0);
    expect(await sweep("function")).toBe(0);
    expect(await versionsOfFunction("sum")).toEqual([2, 3, 4, 5, 6, 7]);
    const of = { functionId: "sum", invocationId: invocation.sId };
    expect((await getInvocation(test.context, of as never)).invocation.sId).toBe(invocation.sId);
    await endInvocations();
    pass(2);
    while ((await forget()) > 0);
    expect(await sweep("function")).toBe(3);
    expect(await versionsOfFunction("sum")).toEqual([5, 6, 7]);
  });

  it("are swept in batches, by workers that do not wait for each other", async () => {
    const found = await Promise.all(Array.from({ length: 3 }, async () => createAgent()));
    for (const agent of found) {
      for (let version = 1; version <= 60; version++) await changeAgent(agent, "");
    }
    pass(1000);
    const swept = await Promise.all([sweep("agent"), sweep("agent"), sweep("agent")]);
    expect(swept.reduce((sum, one) => sum + one)).toBe(3 * (61 - KEPT));
    for (const agent of found) expect(await versionsOfAgent(agent)).toEqual([58, 59, 60]);
  });

  it("wait for no change that holds one of them", async () => {
    const agent = await createAgent();
    for (let version = 1; version <= 5; version++) await changeAgent(agent, "");
    pass(1000);
    const locked = Promise.withResolvers<void>();
    const swept = Promise.withResolvers<void>();
    const change = test.core.database.transaction(async (changing) => {
      const first = and(eq(agents.sid, agent), eq(agents.version, 0));
      await changing.select({ id: agents.id }).from(agents).where(first).for("update");
      locked.resolve();
      await swept.promise;
    });
    await locked.promise;
    const others = await sweep("agent");
    swept.resolve();
    await change;
    expect(others).toBe(2);
    expect(await sweep("agent")).toBe(1);
  });

  it("give the meter back what they took, to the byte", async () => {
    const read = async () => {
      const [row] = await db()
        .select()
        .from(workspaceStorage)
        .where(eq(workspaceStorage.workspaceId, test.workspace.id));
      return row!.countedBytes + row!.addedBytes;
    };
    const count = async () => {
      await test.core.storage.flush();
      pass(1);
      const pause = async () => {};
      while ((await countStorage(test.core, { limitBytes: LIMIT_BYTES, pause })) > 0);
      return read();
    };
    const agent = await createAgent(longText(20_000));
    await insertTestFunction(test.core, test.workspace, { slug: "mean" });
    const skill = await newSkill(longText(50_000));
    await createTestConversation(test.context, [agent]);
    await db().delete(workspaceStorage);
    test.core.storage.add(test.workspace.id, 1);
    await test.core.storage.flush();
    for (let round = 0; round < 12; round++) {
      const bytes = [10, 3000, 40_000, 200_000][round % 4]!;
      await changeAgent(agent, longText(bytes));
      await changeFunction("mean", longText(Math.min(bytes, 500)).slice(0, 200));
      await changeSkill(skill, longText(bytes));
      if (round % 5 === 0) await createTestConversation(test.context, [agent]);
      pass(round * 7);
      const before = await count();
      const swept = await Promise.all([sweep("agent"), sweep("function"), sweep("skill")]);
      await test.core.storage.flush();
      const after = await read();
      expect(after < before).toBe(swept.some((some) => some > 0));
      expect(await count()).toBe(after);
    }
    // What an answer is of is still there, beside the newest.
    expect(await versionsOfAgent(agent)).toEqual([0, 1, 6, 10, 11, 12]);
  });
});
