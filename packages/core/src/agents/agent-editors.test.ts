import { agentEditors } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestOperator, refusalOf, type TestOperator } from "../../testing/operator.ts";
import {
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { patchAgent } from "./patch-agent.ts";
import { getAgentDefinition } from "./read-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("the editors of agents", () => {
  let test: TestCore;
  let operator: TestOperator;
  let wId: string;
  let admin: CoreContext;
  beforeAll(async () => {
    test = await openTestCore();
    operator = openTestOperator(test.core);
  });
  beforeEach(async () => {
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    admin = await openTestContext(test.core, workspace, "admin");
  });
  afterAll(() => test.close());

  const add = async (name: string, to = wId) => {
    const email = `${name}@example.com`;
    return (await operator.addMember({ wId: to, email, firstName: name })).member.sId;
  };
  const create = async (further: object = {}) => {
    const agent = { wId, name: "Clerk", description: "", model, ...further };
    return (await operator.createAgent(agent)).agentConfiguration.sId;
  };
  const patch = (
    sId: string,
    json: Omit<InputOf<(typeof endpoints)["agents.patch"]>, "wId" | "sId">,
  ) => patchAgent(admin, parseInput(endpoints["agents.patch"], { wId, sId, ...json }));
  const editorsOf = async (agentId: string) =>
    (await getAgentDefinition(admin, { wId, agentId })).editorIds;

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
    await operator.updateAgent({ wId, agentId: sId, name: "Teller" });
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
    await operator.removeMember({ wId, memberId: ada });
    expect(await editorsOf(sId)).toEqual([]);
    expect(await test.core.database.db.$count(agentEditors, eq(agentEditors.agentSid, sId))).toBe(
      0,
    );
    await add("ada");
    expect(await editorsOf(sId)).toEqual([]);
    const again = operator.updateAgent({ wId, agentId: sId, editorIds: [ada] });
    expect(await refusalOf(again)).toBe("404 member_not_found");
  });

  it("are chosen by admins alone, who are refused unknown ids", async () => {
    const ada = await add("ada");
    const sId = await create();
    const builder = openTestOperator(
      test.core,
      await openTestContext(test.core, admin.caller.workspace, "builder"),
    );
    const change = { wId, agentId: sId, editorIds: [ada] };
    expect(await refusalOf(builder.updateAgent(change))).toBe("403 app_auth_error");
    const made = { wId, name: "x", description: "", model, editorIds: [ada] };
    expect(await refusalOf(builder.createAgent(made))).toBe("403 app_auth_error");
    const stranger = await add("eve", (await insertTestWorkspace(test.core)).sid);
    for (const editorIds of [[stranger], ["nobody"]]) {
      const refused = operator.updateAgent({ ...change, editorIds });
      expect(await refusalOf(refused)).toBe("404 member_not_found");
    }
    expect((await operator.updateAgent(change)).editorIds).toEqual([ada]);
    // The editors have not changed.
    expect(await refusalOf(builder.updateAgent({ wId, agentId: sId, name: "y" }))).toBe("accepted");
  });
});
