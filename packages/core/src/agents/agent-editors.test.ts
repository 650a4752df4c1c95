import { agentEditors } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { patchAgent } from "./patch-agent.ts";
import { getAgentDefinition } from "./read-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("the editors of agents", () => {
  const test = workspaceTest({ role: "admin" });

  const add = async (name: string, to = test.workspaceId) => {
    const email = `${name}@example.com`;
    return (await test.operator.addMember({ wId: to, email, firstName: name })).member.sId;
  };
  const create = async (further: object = {}) => {
    const agent = { wId: test.workspaceId, name: "Clerk", description: "", model, ...further };
    return (await test.operator.createAgent(agent)).agentConfiguration.sId;
  };
  const patch = (
    sId: string,
    json: Omit<InputOf<(typeof endpoints)["agents.patch"]>, "wId" | "sId">,
  ) =>
    patchAgent(
      test.context,
      parseInput(endpoints["agents.patch"], { wId: test.workspaceId, sId, ...json }),
    );
  const editorsOf = async (agentId: string) =>
    (await getAgentDefinition(test.context, { wId: test.workspaceId, agentId })).editorIds;

  it("are members by their e-mail addresses, in any case and once each, and unknown ones are named", async () => {
    const [ada, bob] = [await add("ada"), await add("bob")];
    const sId = await create();
    expect(await editorsOf(sId)).toEqual([]);
    const other = await insertTestWorkspace(test.core);
    await add("eve", other.sid);
    const editors = [
      "BOB@example.com",
      "eve@example.com",
      "ada@example.com",
      "bob@example.com",
      "",
    ];
    const { agentConfiguration, warnings } = await patch(sId, { editors });
    expect(agentConfiguration).toMatchObject({ version: 1 });
    expect(warnings?.map(({ path }) => path)).toEqual(["editors[1]", "editors[4]"]);
    expect(await editorsOf(sId)).toEqual([ada, bob]);
  });

  it("are replaced, and stay through changes that do not name them", async () => {
    const [ada, bob] = [await add("ada"), await add("bob")];
    const sId = await create({ editorIds: [ada] });
    await patch(sId, { instructions: "Be brief" });
    await test.operator.updateAgent({ wId: test.workspaceId, agentId: sId, name: "Teller" });
    expect(await editorsOf(sId)).toEqual([ada]);
    const { warnings } = await patch(sId, { editors: ["bob@example.com"] });
    expect(warnings).toBeUndefined();
    expect(await editorsOf(sId)).toEqual([bob]);
    await patch(sId, { editors: [] });
    expect(await editorsOf(sId)).toEqual([]);
  });

  it("end with their membership", async () => {
    const ada = await add("ada");
    const sId = await create({ editorIds: [ada] });
    await test.operator.removeMember({ wId: test.workspaceId, memberId: ada });
    expect(await editorsOf(sId)).toEqual([]);
    expect(await test.core.database.db.$count(agentEditors, eq(agentEditors.agentSid, sId))).toBe(
      0,
    );
    await add("ada");
    expect(await editorsOf(sId)).toEqual([]);
    const again = test.operator.updateAgent({
      wId: test.workspaceId,
      agentId: sId,
      editorIds: [ada],
    });
    expect(await refusalOf(again)).toBe("404 member_not_found");
  });

  it("are chosen by admins alone, who are refused unknown ids", async () => {
    const ada = await add("ada");
    const sId = await create();
    const builder = openTestOperator(
      test.core,
      await openTestContext(test.core, test.context.caller.workspace, "builder"),
    );
    const change = { wId: test.workspaceId, agentId: sId, editorIds: [ada] };
    expect(await refusalOf(builder.updateAgent(change))).toBe("403 app_auth_error");
    const made = { wId: test.workspaceId, name: "x", description: "", model, editorIds: [ada] };
    expect(await refusalOf(builder.createAgent(made))).toBe("403 app_auth_error");
    const stranger = await add("eve", (await insertTestWorkspace(test.core)).sid);
    for (const editorIds of [[stranger], ["nobody"]]) {
      const refused = test.operator.updateAgent({ ...change, editorIds });
      expect(await refusalOf(refused)).toBe("404 member_not_found");
    }
    expect((await test.operator.updateAgent(change)).editorIds).toEqual([ada]);
    // The editors have not changed.
    expect(
      await refusalOf(builder.updateAgent({ wId: test.workspaceId, agentId: sId, name: "y" })),
    ).toBe("accepted");
  });
});
