import { endpoints, parseInput } from "@parley/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { actingAs } from "../access/acting-users.ts";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import type { UserRow } from "../data-access/rows.ts";
import { findMember } from "../access/acting-users.ts";
import { patchAgent } from "./patch-agent.ts";
import { createGenericAgent } from "./generic-agents.ts";
import { parseMentions, suggestMentions } from "./mentions.ts";
import { getAgent, listAgents, searchAgents } from "./read-agents.ts";

describe("favourites, mentions and generic agents", () => {
  const test = workspaceTest({ per: "suite", agents: ["helper", "Held", "zoe"], keepRuns: true });
  let ada: CoreContext;
  beforeAll(async () => {
    await insertTestAgent(test.core, test.workspace, { sid: "hermit", scope: "hidden" });
    await insertTestAgent(test.core, test.workspace, { sid: "heir", status: "archived" });
    const stranger = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, stranger, { sid: "hello" });
    const operator = openTestOperator(test.core);
    for (const name of ["Ada", "Hedy"]) {
      const email = `${name.toLowerCase()}@example.com`;
      await operator.addMember({ wId: test.workspaceId, email, firstName: name });
    }
    const user = (await findMember(test.core.database.db, test.workspace.id, "ada@example.com"))!;
    ada = asUser(user);
  });

  const asUser = (user: UserRow): CoreContext => {
    const token = { sid: null, scopes: new Set<never>(), spaceIds: undefined, expiresAt: Infinity };
    const caller = actingAs({ ...test.context.caller, user }, token);
    return Object.assign(Object.create(test.context) as CoreContext, { caller });
  };
  const mark = (sId: string, userFavorite: boolean | undefined, by = test.context) =>
    patchAgent(by, { wId: test.workspaceId, sId, userFavorite });
  const favorites = async (by: CoreContext) =>
    (await listAgents(by, { view: "favorites" })).agentConfigurations.map(({ sId }) => sId);
  const suggest = async (query: object, by = test.context) => {
    const raw = { wId: test.workspaceId, query: "he", ...query };
    const input = parseInput(endpoints["mentions.suggest"], raw);
    return (await suggestMentions(by, input)).suggestions.map(({ id, label, type }) =>
      type === "agent" ? id : label,
    );
  };
  const parse = async (markdown: string, by = test.context) =>
    parseMentions(by, parseInput(endpoints["mentions.parse"], { wId: test.workspaceId, markdown }));

  it("a favourite is a user's own, in every list", async () => {
    expect(await mark("zoe", true)).toMatchObject({ agentConfiguration: { userFavorite: true } });
    await mark("zoe", true);
    await mark("helper", true, ada);
    expect([await favorites(test.context), await favorites(ada)]).toEqual([["zoe"], ["helper"]]);
    const { agentConfigurations } = await listAgents(ada, { view: "all" });
    const marked = agentConfigurations.filter(({ userFavorite }) => userFavorite);
    expect(marked.map(({ sId }) => sId)).toEqual(["helper"]);
    expect((await searchAgents(ada, { q: "zoe" })).agentConfigurations).toMatchObject([
      { userFavorite: false },
    ]);
    await mark("zoe", undefined);
    expect((await getAgent(test.context, { sId: "zoe" })).agentConfiguration.userFavorite).toBe(
      true,
    );
    await mark("zoe", false);
    await mark("zoe", false);
    expect(await favorites(test.context)).toEqual([]);
    expect(await refusalOf(mark("hello", true))).toBe("404 agent_not_found");
  });

  it("suggests agents and members by a part of their names, favourites first", async () => {
    await mark("helper", true);
    expect(await suggest({})).toEqual(["helper", "Held", "Hedy"]);
    expect(await suggest({ query: "el" })).toEqual(["helper", "Held"]);
    await mark("helper", false);
    expect(await suggest({ select: "agents" })).toEqual(["Held", "helper"]);
    expect(await suggest({ select: ["users"], query: "" })).toEqual(["Ada", "Hedy"]);
  });

  it("suggests the agents of a conversation before others, to who reaches it", async () => {
    const { conversation } = await createTestConversation(test.context, ["zoe"]);
    const conversationId = conversation.sId;
    const asked = await suggest({ conversationId, select: "agents", query: "" });
    expect(asked).toEqual(["zoe", "Held", "helper"]);
    const stranger = await openTestContext(test.core, test.workspace);
    expect(await refusalOf(suggest({ conversationId }, stranger))).toBe(
      "404 conversation_not_found",
    );
  });

  it("tells tokens of no user but their own", async () => {
    expect(await suggest({ select: "users", query: "" }, ada)).toEqual([]);
    expect(await suggest({ select: "users", query: "", current: "true" }, ada)).toEqual(["Ada"]);
    expect((await parse("@Hedy @Ada", ada)).markdown).toMatch(/^@Hedy :mention_user\[Ada\]/);
  });

  it("finds whom a text names", async () => {
    const { markdown, mentions } = await parse("@zoe and @hermit, but not @heir, @hello; @Hedy");
    expect(mentions).toEqual([{ configurationId: "zoe" }, { configurationId: "hermit" }]);
    expect(markdown).toMatch(
      /^:mention\[zoe\]\{sId=zoe\} and :mention\[hermit\]\{sId=hermit\}, but not @heir, @hello; :mention_user\[Hedy\]\{sId=\w+\}$/,
    );
  });

  it("creates a generic agent with a model of the workspace, and a second one", async () => {
    const raw = { wId: test.workspaceId, name: "Gen", description: "d", instructions: "i" };
    const create = (more = {}) =>
      createGenericAgent(
        test.context,
        parseInput(endpoints["agents.createGeneric"], { ...raw, ...more }),
      );
    const { agentConfiguration, ...rest } = await create();
    expect(rest).toEqual({});
    expect(agentConfiguration).toMatchObject({ name: "Gen", instructions: "i", version: 0 });
    expect(test.workspace.models).toContain(
      `${agentConfiguration.model.providerId}/${agentConfiguration.model.modelId}`,
    );
    expect(await create({ subAgentName: "Sub", subAgentEmoji: "x" })).toMatchObject({
      agentConfiguration: { name: "Gen" },
      subAgentConfiguration: { name: "Sub", description: "" },
      warnings: [{ path: "subAgentName" }],
    });
    const bare = { ...test.context.caller, workspace: { ...test.workspace, models: [] } };
    const poor = Object.assign(Object.create(test.context) as CoreContext, { caller: bare });
    const input = parseInput(endpoints["agents.createGeneric"], raw);
    expect(await refusalOf(createGenericAgent(poor, input))).toBe("400 model_disabled");
  });
});
