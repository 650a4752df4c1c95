import { agents } from "@parley/db";
import { AgentConfiguration } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { getConversation } from "../conversations/conversation-content.ts";
import { listAgents } from "./read-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("the administration of agents", () => {
  const test = workspaceTest();

  const db = () => test.core.database.db;
  const create = async (name = "Ann", more = {}) => {
    const made = await test.operator.createAgent({
      wId: test.workspaceId,
      name,
      description: "",
      model,
      ...more,
    });
    return made.agentConfiguration.sId;
  };
  const versions = async (sid: string) => {
    const ofAgent = and(eq(agents.sid, sid), eq(agents.workspaceId, test.workspace.id));
    return db().select().from(agents).where(ofAgent).orderBy(agents.version);
  };
  const list = async (view: Parameters<typeof listAgents>[1]["view"] = "all", by = test.context) =>
    (await listAgents(by, { view })).agentConfigurations.map((agent) => agent.name);
  const ask = (agentId: string) => createTestConversation(test.context, [agentId]);

  it("creates an agent that mentions resolve to, with defaults for what is not given", async () => {
    const script = { steps: [{ text: "Hi" }] };
    const created = await test.operator.createAgent({
      wId: test.workspaceId,
      name: "Ann",
      description: "Helps",
      model,
      script,
    });
    const agent = created.agentConfiguration;
    expect(AgentConfiguration.parse(agent)).toEqual(agent);
    expect(agent).toMatchObject({
      version: 0,
      name: "Ann",
      instructions: null,
      pictureUrl: "http://parley.test/pictures/agent-1.svg",
      status: "active",
      scope: "visible",
      model: { ...model, temperature: 0.7 },
      maxStepsPerRun: 8,
      versionAuthorId: null,
    });
    expect(created.script).toMatchObject(script);
    expect((await ask(agent.sId)).warnings).toBeUndefined();
  });

  it("changes an agent by a new version, which later mentions resolve to", async () => {
    const sid = await create("Ann", { instructions: "Be brief", maxStepsPerRun: 3 });
    test.clock.now += 1000;
    const change = { wId: test.workspaceId, agentId: sid, name: "Anna", scope: "hidden" as const };
    const { agentConfiguration: changed } = await test.operator.updateAgent(change);
    expect(changed).toMatchObject({
      sId: sid,
      version: 1,
      name: "Anna",
      scope: "hidden",
      instructions: "Be brief",
      maxStepsPerRun: 3,
      versionCreatedAt: new Date(test.clock.now).toISOString(),
    });
    expect(await versions(sid)).toMatchObject([
      { version: 0, isCurrent: false, name: "Ann" },
      { version: 1, isCurrent: true, name: "Anna" },
    ]);
    const { conversation } = await ask(sid);
    expect(conversation.content[1]).toMatchObject([{ configuration: changed }]);
  });

  it("keeps the temperature of a model that is changed without one", async () => {
    const sid = await create("Ann", { model: { ...model, temperature: 0.1 } });
    const noop = { providerId: "noop", modelId: "noop" };
    const change = { wId: test.workspaceId, agentId: sid, model: noop };
    const { agentConfiguration } = await test.operator.updateAgent(change);
    expect(agentConfiguration.model).toEqual({ ...noop, temperature: 0.1 });
  });

  it("keeps the effort of its model and its tags with each version", async () => {
    const tags = [{ name: "money", kind: "protected" }, { name: "shop" }];
    const made = { wId: test.workspaceId, name: "Ann", description: "", tags };
    const effort = { ...model, reasoningEffort: "high" as const };
    const created = await test.operator.createAgent({ ...made, model: effort });
    const shownTags = [tags[0], { name: "shop", kind: "standard" }];
    expect(created).toMatchObject({ reasoningEffort: "high", tags: shownTags, editorIds: [] });
    // The public shape of the model is specified.
    expect(created.agentConfiguration.model).toEqual({ ...model, temperature: 0.7 });
    const agentId = created.agentConfiguration.sId;
    const change = async (changed: object) => {
      const updated = await test.operator.updateAgent({
        wId: test.workspaceId,
        agentId,
        ...changed,
      });
      return [updated.reasoningEffort, updated.tags];
    };
    expect(await change({ name: "Anna" })).toEqual(["high", shownTags]);
    expect(await change({ model })).toEqual(["high", shownTags]);
    expect(await change({ model: { ...model, reasoningEffort: null }, tags: [] })).toEqual([
      null,
      [],
    ]);
    expect(await versions(agentId)).toMatchObject([
      { reasoningEffort: "high", tags: shownTags },
      { reasoningEffort: "high", tags: shownTags },
      { reasoningEffort: "high", tags: shownTags },
      { reasoningEffort: null, tags: [] },
    ]);
    const tag = { name: "t".repeat(255) };
    expect(await refusalOf(change({ tags: Array.from({ length: 21 }, () => tag) }))).toContain(
      "400",
    );
    expect(await refusalOf(change({ tags: [{ name: "t".repeat(256) }] }))).toContain("400");
    expect(await refusalOf(change({ tags: [{ name: "" }] }))).toContain("400");
    const extreme = { ...model, reasoningEffort: "extreme" };
    expect(await refusalOf(change({ model: extreme }))).toContain("400 invalid_request_error");
  });

  it("lets running turns keep the version they were asked of", async () => {
    const sid = await create();
    const { conversation } = await ask(sid);
    await test.operator.updateAgent({ wId: test.workspaceId, agentId: sid, name: "Anna" });
    await test.operator.archiveAgent({ wId: test.workspaceId, agentId: sid });
    const [claimed] = await claimTestTurns(test.core);
    expect(claimed?.turn.agent).toMatchObject({ version: 0, name: "Ann" });
    const read = await getConversation(test.context, { cId: conversation.sId });
    expect(read.conversation.content[1]).toMatchObject([{ configuration: { name: "Ann" } }]);
  });

  it("makes a version of every change, and one current version, when changes come at once", async () => {
    const sid = await create();
    const names = ["A", "B", "C", "D", "E", "F"];
    const update = (name: string) =>
      test.operator.updateAgent({ wId: test.workspaceId, agentId: sid, name });
    const outcomes = await Promise.all(names.map((name) => refusalOf(update(name))));
    expect(new Set(outcomes)).toEqual(new Set(["accepted"]));
    const rows = await versions(sid);
    expect(rows.map((row) => row.version)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(rows.map((row) => row.isCurrent)).toEqual([...names.map(() => false), true]);
    expect(new Set(rows.slice(1).map((row) => row.name))).toEqual(new Set(names));
  });

  it("loses no change that was made from a version which is no longer current", async () => {
    const sid = await create();
    const about = { wId: test.workspaceId, agentId: sid };
    const from = (version: number, change: object) =>
      refusalOf(test.operator.updateAgent({ ...about, version, ...change }));
    // Two who have both read version 0.
    const both = [from(0, { name: "Anna" }), from(0, { description: "Helps" })];
    expect((await Promise.all(both)).toSorted()).toEqual(["409 version_conflict", "accepted"]);
    expect(await from(7, { name: "B" })).toBe("409 version_conflict");
    expect(await from(1, { name: "B" })).toBe("accepted");
    expect(await versions(sid)).toHaveLength(3);
  });

  it("archives the newest version, when it is changed at the same time", async () => {
    const sid = await create();
    const about = { wId: test.workspaceId, agentId: sid };
    const changes = [
      test.operator.updateAgent({ ...about, name: "A" }),
      test.operator.archiveAgent(about),
      test.operator.updateAgent({ ...about, name: "B" }),
    ];
    expect(await Promise.all(changes.map(refusalOf))).toEqual(["accepted", "accepted", "accepted"]);
    expect((await versions(sid)).at(-1)).toMatchObject({ status: "archived", isCurrent: true });
  });

  it("archives an agent, again without harm: mentions of it resolve to nobody", async () => {
    const sid = await create();
    for (let time = 0; time < 2; time++) {
      expect(await test.operator.archiveAgent({ wId: test.workspaceId, agentId: sid })).toEqual({
        success: true,
      });
    }
    expect((await ask(sid)).warnings).toHaveLength(1);
    expect(await list()).toEqual([]);
    await test.operator.updateAgent({ wId: test.workspaceId, agentId: sid, name: "Anna" });
    expect((await ask(sid)).warnings).toHaveLength(1);
  });

  it("refuses models that the workspace may not use, and leaves no trace", async () => {
    const costly = { providerId: "openai", modelId: "gpt-5" };
    expect(await refusalOf(create("Eve", { model: costly }))).toBe("400 model_disabled");
    expect(await list()).toEqual([]);
    const sid = await create();
    const changed = test.operator.updateAgent({
      wId: test.workspaceId,
      agentId: sid,
      name: "X",
      model: costly,
    });
    expect(await refusalOf(changed)).toBe("400 model_disabled");
    expect(await versions(sid)).toMatchObject([{ name: "Ann", isCurrent: true }]);
  });

  it("does not know the agents of another workspace", async () => {
    const other = await insertTestWorkspace(test.core);
    const about = { wId: other.sid, agentId: await create() };
    const refusals = [
      await refusalOf(test.operator.updateAgent({ ...about, name: "X" })),
      await refusalOf(test.operator.archiveAgent(about)),
      await refusalOf(test.operator.archiveAgent({ wId: test.workspaceId, agentId: "unknown" })),
    ];
    expect(new Set(refusals)).toEqual(new Set(["404 agent_not_found"]));
    expect(await list("all", await openTestContext(test.core, other))).toEqual([]);
  });

  it("gives an agent the functions that it names, and its next version the same", async () => {
    const first = await insertTestFunction(test.core, test.workspace, { slug: "first" });
    const second = await insertTestFunction(test.core, test.workspace, { slug: "second" });
    const other = await insertTestWorkspace(test.core);
    const stranger = await insertTestFunction(test.core, other, { slug: "theirs" });
    const draft = { wId: test.workspaceId, name: "Ann", description: "", model };
    const made = await test.operator.createAgent({
      ...draft,
      functionIds: ["second", first.sid, second.sid],
    });
    expect(made.functionIds).toEqual([second.sid, first.sid]);
    const about = { wId: test.workspaceId, agentId: made.agentConfiguration.sId };
    const renamed = await test.operator.updateAgent({ ...about, name: "Eve" });
    expect(renamed.functionIds).toEqual([second.sid, first.sid]);
    for (const unknown of ["nothing", stranger.sid]) {
      const refused = test.operator.updateAgent({ ...about, functionIds: ["first", unknown] });
      await expect(refused).rejects.toMatchObject({
        type: "sandbox_function_not_found",
        message: expect.stringMatching(/^functionIds\[1\]: /),
      });
    }
    expect(await versions(about.agentId)).toMatchObject([{ name: "Ann" }, { name: "Eve" }]);
    expect((await test.operator.updateAgent({ ...about, functionIds: [] })).functionIds).toEqual(
      [],
    );
  });

  it("lists active agents of a view, by name", async () => {
    await create("Zoe");
    await create("Ann", { scope: "hidden" });
    await insertTestAgent(test.core, test.workspace, { sid: "helper", scope: "global" });
    await insertTestAgent(test.core, test.workspace, { sid: "draft", status: "draft" });
    // The hidden one is shown to admins alone.
    expect((await list()).toSorted()).toEqual(["Zoe", "helper"]);
    expect(await list("workspace")).toEqual(["Zoe"]);
    expect(await list("published")).toEqual(["Zoe"]);
    expect(await list("global")).toEqual(["helper"]);
    expect((await list("list")).toSorted()).toEqual(["Zoe", "helper"]);
    expect(await list("favorites")).toEqual([]);
  });
});
