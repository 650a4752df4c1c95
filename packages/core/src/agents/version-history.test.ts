import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestFunction, insertTestWorkspace, openTestContext } from "../../testing/testing.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("the versions of agents", () => {
  const test = workspaceTest({ role: "builder" });

  const by = () => openTestOperator(test.core, test.context);
  const create = async (more = {}) => {
    const draft = { wId: test.workspaceId, name: "Ann", description: "", model, ...more };
    const { agentConfiguration } = await by().createAgent(draft);
    return { wId: test.workspaceId, agentId: agentConfiguration.sId };
  };

  it("are listed newest first, each with who changed what and when", async () => {
    const { slug, sid } = await insertTestFunction(test.core, test.workspace, { slug: "total" });
    const agent = await create({ instructions: "Be brief" });
    test.clock.now += 1000;
    const named = { model: { ...model, temperature: 0 }, functionIds: [slug] };
    await test.operator.updateAgent({ ...agent, instructions: "Be kind", ...named });
    await by().updateAgent({ ...agent, name: "Anna" });
    const { versions, ...end } = await by().listAgentVersions(agent);
    const editor = { sId: test.context.caller.user.sid, name: test.context.caller.user.fullName };
    const createdAt = test.clock.now;
    const shown = { name: "Ann", ...model, isCurrent: false };
    expect(versions).toEqual([
      { ...shown, version: 2, createdAt, editor, name: "Anna", isCurrent: true, changes: ["name"] },
      {
        ...shown,
        version: 1,
        createdAt,
        editor: null,
        changes: ["instructions", "model", "functionIds"],
      },
      { ...shown, version: 0, createdAt: createdAt - 1000, editor, changes: null },
    ]);
    expect(end).toEqual({ hasMore: false, lastValue: "0" });
    expect(await by().getAgentVersion({ ...agent, agentVersion: 1 })).toMatchObject({
      agentConfiguration: { version: 1, name: "Ann", instructions: "Be kind" },
      functionIds: [sid],
      editor: null,
      isCurrent: false,
    });
  });

  it("are listed a page at a time, the last with what changed since the page after", async () => {
    const agent = await create();
    for (const name of ["Bea", "Cid"]) await by().updateAgent({ ...agent, name });
    const first = await by().listAgentVersions({ ...agent, limit: 2 });
    expect(first.versions.map(({ version, changes }) => [version, changes])).toEqual([
      [2, ["name"]],
      [1, ["name"]],
    ]);
    expect(first).toMatchObject({ hasMore: true, lastValue: "1" });
    const rest = await by().listAgentVersions({ ...agent, limit: 2, lastValue: "1" });
    expect(rest.versions.map(({ version }) => version)).toEqual([0]);
  });

  it("are restored by a new version that is equal", async () => {
    const { sid } = await insertTestFunction(test.core, test.workspace, { slug: "sum" });
    const first = { instructions: "Be {{user.name}}", functionIds: [sid], tags: [{ name: "a" }] };
    const agent = await create({ ...first, asksUser: true, maxStepsPerRun: 3 });
    const before = await by().getAgentVersion({ ...agent, agentVersion: 0 });
    const changed = { name: "Bob", functionIds: [], tags: [], asksUser: false, script: null };
    await by().updateAgent({ ...agent, ...changed, instructions: "No", maxStepsPerRun: 4 });
    const restored = await by().restoreAgentVersion({ ...agent, agentVersion: 0, version: 1 });
    const { editor: _editor, isCurrent: _current, ...definition } = before;
    const { id, version, versionCreatedAt } = restored.agentConfiguration;
    expect(version).toBe(2);
    expect(restored).toEqual({
      ...definition,
      agentConfiguration: { ...before.agentConfiguration, id, version, versionCreatedAt },
    });
    const { versions } = await by().listAgentVersions(agent);
    expect(versions[0]).toMatchObject({ version: 2, isCurrent: true });
  });

  it("are not restored if the agent has changed since, or they refer to what is gone", async () => {
    const agent = await create();
    await by().updateAgent({ ...agent, name: "Bob" });
    const restore = (more: { agentVersion: number; version?: number }) =>
      refusalOf(by().restoreAgentVersion({ ...agent, ...more }));
    expect(await restore({ agentVersion: 0, version: 0 })).toBe("409 version_conflict");
    expect(await restore({ agentVersion: 7 })).toBe("404 agent_not_found");
    await test.operator.updateWorkspace({
      wId: test.workspaceId,
      models: [{ providerId: "noop", modelId: "noop" }],
    });
    expect(await restore({ agentVersion: 0 })).toBe("400 model_disabled");
    expect((await by().listAgentVersions(agent)).versions).toHaveLength(2);
  });

  it("are the workspace's own", async () => {
    const { agentId } = await create();
    const other = await insertTestWorkspace(test.core);
    const context = await openTestContext(test.core, other, "admin");
    const foreign = openTestOperator(test.core, context);
    const named = { wId: other.sid, agentId };
    const refused = await Promise.all([
      refusalOf(foreign.listAgentVersions(named)),
      refusalOf(foreign.getAgentVersion({ ...named, agentVersion: 0 })),
      refusalOf(foreign.restoreAgentVersion({ ...named, agentVersion: 0 })),
    ]);
    expect(refused).toEqual(Array.from({ length: 3 }, () => "404 agent_not_found"));
  });
});
