import { skills, spaces } from "@parley/db";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "./context.ts";
import type { WorkspaceRow } from "./rows.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  drivers,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "./testing.ts";
import { openTestOperator, refusalOf, type TestOperator } from "./testing-operator.ts";
import { loadSkillInstructions } from "./turn-skills.ts";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`the skills of agents ${suite}`, () => {
    let test: TestCore;
    let operator: TestOperator;
    let workspace: WorkspaceRow;
    let context: Context;
    beforeAll(async () => {
      test = await openTestCore(driver);
      operator = openTestOperator(test.core);
    });
    beforeEach(async () => {
      await clearRuns(test.core);
      workspace = await insertTestWorkspace(test.core);
      context = await openTestContext(test.core, workspace, "admin");
    });
    afterAll(() => test.close());

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
      workspaceId: workspace.sid,
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
      const created = await operator.createAgent(draft([...own, own[0]!]));
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
      const { agentConfiguration } = await operator.createAgent(draft([zip]));
      const about = { workspaceId: workspace.sid, agentId: agentConfiguration.sId };
      const renamed = await operator.updateAgent({ ...about, name: "Anna" });
      expect(renamed.skillIds).toEqual([zip]);
      expect(await offered(about.agentId)).toEqual(["zip"]);
      const changed = await operator.updateAgent({ ...about, skillIds: [doc] });
      expect(changed.skillIds).toEqual([doc]);
      expect(await offered(about.agentId)).toEqual(["doc"]);
      expect((await operator.updateAgent({ ...about, skillIds: [] })).skillIds).toEqual([]);
      expect(await offered(about.agentId)).toEqual([]);
    });

    it("refuses skills that the workspace does not have, and leaves no trace", async () => {
      const zip = await insert("zip");
      workspace = await insertTestWorkspace(test.core);
      for (const skillIds of [[zip], ["skl_nothing"]]) {
        const refused = operator.createAgent(draft(skillIds));
        expect(await refusalOf(refused)).toBe("404 skill_not_found");
      }
      const { agentConfiguration } = await operator.createAgent(draft([]));
      const about = { workspaceId: workspace.sid, agentId: agentConfiguration.sId };
      const changed = operator.updateAgent({ ...about, name: "Anna", skillIds: [zip] });
      expect(await refusalOf(changed)).toBe("404 skill_not_found");
      context = await openTestContext(test.core, workspace);
      const turn = await turnOf(about.agentId);
      expect(turn).toMatchObject({ agent: { name: "Ann", version: 0 }, skills: [] });
    });

    it("keeps every agent's skills that are for a restricted space in this space", async () => {
      const { space } = await operator.createSpace({
        workspaceId: workspace.sid,
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
      const { agentConfiguration } = await operator.createAgent(draft());
      expect(await offered(agentConfiguration.sId)).toEqual(["open"]);
      expect(await offered(agentConfiguration.sId, space.sId)).toEqual(["open", "secret"]);
    });

    it("reads the instructions of active skills of the turn's workspace only", async () => {
      const sid = await insert("zip");
      const { agentConfiguration } = await operator.createAgent(draft([sid]));
      const turn = await turnOf(agentConfiguration.sId);
      const { id } = turn.skills[0]!;
      expect(await loadSkillInstructions(test.core, turn, id)).toBe("How to zip");
      const foreign = { message: { ...turn.message, workspaceId: workspace.id + 1 } };
      expect(await loadSkillInstructions(test.core, foreign, id)).toBeNull();
      await test.core.database.db
        .update(skills)
        .set({ status: "archived" })
        .where(eq(skills.id, id));
      expect(await loadSkillInstructions(test.core, turn, id)).toBeNull();
    });
  });
}
