import { skills, spaces } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { loadSkillInstructions } from "./turn-skills.ts";

describe("the skills of agents", () => {
  const test = coreTest();
  let workspace: WorkspaceRow;
  let context: CoreContext;
  beforeEach(async () => {
    await clearRuns(test.core);
    workspace = await insertTestWorkspace(test.core);
    context = await openTestContext(test.core, workspace, "admin");
  });

  const insert = async (name: string, parts: Partial<typeof skills.$inferInsert> = {}) => {
    const sid = test.core.newId("skl");
    await test.core.database.db.insert(skills).values({
      sid,
      workspaceId: workspace.id,
      name,
      status: "active",
      availability: "workspace_users",
      agentFacingDescription: `About ${name}`,
      userFacingDescription: "",
      reinforcement: "off",
      instructions: `How to ${name}`,
      createdAt: 0,
      updatedAt: 0,
      ...parts,
    });
    return sid;
  };
  const draft = (skillIds?: string[]) => ({
    wId: workspace.sid,
    name: "Ann",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    ...(skillIds && { skillIds }),
  });
  const turnOf = async (agentId: string, spaceId?: string) => {
    await createTestConversation(context, [agentId], spaceId === undefined ? {} : { spaceId });
    const [claimed] = await claimTestTurns(test.core);
    await clearRuns(test.core);
    return claimed!.turn;
  };
  const offered = async (agentId: string, spaceId?: string) =>
    (await turnOf(agentId, spaceId)).skills.map(({ name }) => name);

  it("gives a turn the agent's own active skills in order, then those of every agent", async () => {
    const own = [await insert("zip"), await insert("doc"), await insert("tar")];
    await insert("nobody");
    const every = { availability: "users_and_agents" } as const;
    own.push(await insert("of-both", every));
    await insert("every-b", every);
    await insert("every-a", every);
    await insert("every-old", { ...every, status: "archived" });
    const created = await test.operator.createAgent(draft([...own, own[0]!]));
    expect(created.skillIds).toEqual(own);
    const agentId = created.agentConfiguration.sId;
    const old = { status: "suggested" } as const;
    await test.core.database.db.update(skills).set(old).where(eq(skills.sid, own[2]!));
    const turn = await turnOf(agentId);
    expect(turn.skills.map(({ name }) => name)).toEqual([
      "zip",
      "doc",
      "of-both",
      "every-a",
      "every-b",
    ]);
    expect(turn.skills[0]).toEqual({
      id: expect.any(Number),
      name: "zip",
      description: "About zip",
    });
  });

  it("keeps the skills of an agent that is changed, until others are given", async () => {
    const [zip, doc] = [await insert("zip"), await insert("doc")];
    const { agentConfiguration } = await test.operator.createAgent(draft([zip]));
    const about = { wId: workspace.sid, agentId: agentConfiguration.sId };
    const renamed = await test.operator.updateAgent({ ...about, name: "Anna" });
    expect(renamed.skillIds).toEqual([zip]);
    expect(await offered(about.agentId)).toEqual(["zip"]);
    const changed = await test.operator.updateAgent({ ...about, skillIds: [doc] });
    expect(changed.skillIds).toEqual([doc]);
    expect(await offered(about.agentId)).toEqual(["doc"]);
    expect((await test.operator.updateAgent({ ...about, skillIds: [] })).skillIds).toEqual([]);
    expect(await offered(about.agentId)).toEqual([]);
  });

  it("refuses skills that the workspace does not have, and leaves no trace", async () => {
    const zip = await insert("zip");
    workspace = await insertTestWorkspace(test.core);
    for (const skillIds of [[zip], ["skl_nothing"]]) {
      const refused = test.operator.createAgent(draft(skillIds));
      expect(await refusalOf(refused)).toBe("404 skill_not_found");
    }
    const { agentConfiguration } = await test.operator.createAgent(draft([]));
    const about = { wId: workspace.sid, agentId: agentConfiguration.sId };
    const changed = test.operator.updateAgent({ ...about, name: "Anna", skillIds: [zip] });
    expect(await refusalOf(changed)).toBe("404 skill_not_found");
    context = await openTestContext(test.core, workspace);
    const turn = await turnOf(about.agentId);
    expect(turn).toMatchObject({ agent: { name: "Ann", version: 0 }, skills: [] });
  });

  it("keeps every agent's skills that are for a restricted space in this space", async () => {
    const { space } = await test.operator.createSpace({
      wId: workspace.sid,
      name: "Secret",
      isRestricted: true,
      keyIds: [context.caller.apiKey.sid],
    });
    const [open] = await test.core.database.db
      .select()
      .from(spaces)
      .where(eq(spaces.workspaceId, workspace.id));
    const every = { availability: "users_and_agents" } as const;
    await insert("secret", { ...every, requestedSpaceIds: [space.sId] });
    await insert("open", { ...every, requestedSpaceIds: [open!.sid] });
    const { agentConfiguration } = await test.operator.createAgent(draft());
    expect(await offered(agentConfiguration.sId)).toEqual(["open"]);
    expect(await offered(agentConfiguration.sId, space.sId)).toEqual(["open", "secret"]);
  });

  /** A space that is closed to all keys but these. */
  const createClosed = async (name: string, ...keys: CoreContext[]) => {
    const keyIds = keys.map(({ caller }) => caller.apiKey.sid);
    const about = { wId: workspace.sid, name, isRestricted: true, keyIds };
    return (await test.operator.createSpace(about)).space.sId;
  };

  it.for(["the agent's own", "every agent's"])(
    "gives no turn outside a restricted space what is for it and an open one: %s",
    async (whose) => {
      const closed = await createClosed("Closed", context);
      const other = await createClosed("Other", context);
      const { space } = await test.operator.createSpace({ wId: workspace.sid, name: "Open" });
      const availability = whose === "every agent's" ? "users_and_agents" : "workspace_users";
      const sids = [
        await insert("mixed", { availability, requestedSpaceIds: [space.sId, closed] }),
        await insert("both", { availability, requestedSpaceIds: [closed, other] }),
      ];
      const given = whose === "every agent's" ? [] : sids;
      const { agentConfiguration } = await test.operator.createAgent(draft(given));
      const agentId = agentConfiguration.sId;
      expect(await offered(agentId)).toEqual([]);
      expect(await offered(agentId, space.sId)).toEqual([]);
      expect(await offered(agentId, other)).toEqual([]);
      expect(await offered(agentId, closed)).toEqual(["mixed"]);
    },
  );

  it("reads no instructions for a conversation whose readers the skill is now closed to", async () => {
    const { space } = await test.operator.createSpace({ wId: workspace.sid, name: "Open" });
    const sid = await insert("zip", { manuallyRequestedSpaceIds: [space.sId] });
    const { agentConfiguration } = await test.operator.createAgent(draft([sid]));
    const turn = await turnOf(agentConfiguration.sId);
    const { id } = turn.skills[0]!;
    expect(await loadSkillInstructions(test.core, turn, id)).toBe("How to zip");
    const about = { wId: workspace.sid, spaceId: space.sId };
    await test.operator.updateSpace({ ...about, isRestricted: true });
    expect(await loadSkillInstructions(test.core, turn, id)).toBeNull();
  });

  it("neither names nor takes away an agent's skills that its editor does not reach", async () => {
    const closed = await createClosed("Closed", context);
    const [secret, zip, doc] = [
      await insert("secret", { requestedSpaceIds: [closed] }),
      await insert("zip"),
      await insert("doc"),
    ];
    const { agentConfiguration } = await test.operator.createAgent(draft([secret, zip]));
    const about = { wId: workspace.sid, agentId: agentConfiguration.sId };
    const builder = await openTestContext(test.core, workspace, "builder");
    const outsider = openTestOperator(test.core, builder);
    expect((await outsider.updateAgent({ ...about, name: "Anna" })).skillIds).toEqual([zip]);
    expect((await outsider.updateAgent({ ...about, skillIds: [doc] })).skillIds).toEqual([doc]);
    const taken = outsider.updateAgent({ ...about, skillIds: [secret] });
    expect(await refusalOf(taken)).toBe(
      await refusalOf(outsider.updateAgent({ ...about, skillIds: ["skl_nothing"] })),
    );
    expect(await offered(about.agentId)).toEqual(["doc"]);
    expect(await offered(about.agentId, closed)).toEqual(["doc", "secret"]);
  });

  it("reads the instructions of active skills of the turn's workspace only", async () => {
    const sid = await insert("zip");
    const { agentConfiguration } = await test.operator.createAgent(draft([sid]));
    const turn = await turnOf(agentConfiguration.sId);
    const { id } = turn.skills[0]!;
    expect(await loadSkillInstructions(test.core, turn, id)).toBe("How to zip");
    const foreign = { ...turn, message: { ...turn.message, workspaceId: workspace.id + 1 } };
    expect(await loadSkillInstructions(test.core, foreign, id)).toBeNull();
    await test.core.database.db.update(skills).set({ status: "archived" }).where(eq(skills.id, id));
    expect(await loadSkillInstructions(test.core, turn, id)).toBeNull();
  });
});
