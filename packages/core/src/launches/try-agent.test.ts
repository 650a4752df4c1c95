import { agents, messages } from "@parley/db";
import { endpoints, type InputOf, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import { answerTestTurns, claimTestTurns, insertTestFunction } from "../../testing/testing.ts";
import { listAgents } from "../agents/read-agents.ts";
import { eraseTemporaryConversations } from "../conversations/erase-temporary.ts";
import { implementations } from "../implementations.ts";
import { sweepDrafts } from "../storage/sweep-drafts.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };
const draft = { name: "Draft", description: "", model, instructions: "Be bold" };
const HOUR_MS = 3_600_000;

describe("trials of agents", () => {
  const test = workspaceTest({ role: "builder", agents: ["ann"] });

  const db = () => test.core.database.db;
  const tryAgent = async (
    input: Omit<InputOf<(typeof endpoints)["agents.try"]>, "wId" | "message">,
  ) => {
    const asked = { wId: test.workspaceId, message: { content: "Hello" }, ...input };
    return implementations["agents.try"].make(
      test.context,
      parseInput(endpoints["agents.try"], asked),
    );
  };
  const claim = async () => (await claimTestTurns(test.core)).map(({ turn }) => turn);
  const drafts = () => db().select().from(agents).where(eq(agents.status, "draft"));
  const by = () => openTestOperator(test.core, test.context);

  it("ask the version that is named, the current one by default", async () => {
    const agent = { wId: test.workspaceId, agentId: "ann" };
    await by().updateAgent({ ...agent, instructions: "Be kind" });
    await tryAgent({ agentId: "ann" });
    await tryAgent({ agentId: "ann", agentVersion: 0 });
    const asked = (await claim()).map((turn) => turn.agent.version);
    expect(new Set(asked)).toEqual(new Set([0, 1]));
    expect(asked).toHaveLength(2);
    expect(await drafts()).toEqual([]);
    expect(await refusalOf(tryAgent({ agentId: "ann", agentVersion: 2 }))).toBe(
      "404 agent_not_found",
    );
  });

  it("ask a definition that is not saved, under the agent that it changes", async () => {
    const { slug } = await insertTestFunction(test.core, test.workspace, { slug: "total" });
    const { conversation: made, message } = await tryAgent({
      agentId: "ann",
      draft: { ...draft, functionIds: [slug] },
    });
    await tryAgent({ agentId: "ann", draft });
    const [turn] = await answerTestTurns(test.core, "Boldly");
    expect(turn?.agent).toMatchObject({ sid: "ann", instructions: "Be bold", version: -1 });
    const { conversation } = await implementations["conversations.get"](test.context, {
      wId: test.workspaceId,
      cId: made.sId,
    } as never);
    expect(conversation.content.flat()).toMatchObject([
      { type: "user_message", content: "Hello" },
      {
        sId: message.sId,
        content: "Boldly",
        status: "succeeded",
        configuration: { status: "draft" },
      },
    ]);
    const [current] = (await listAgents(test.context, { view: "all" })).agentConfigurations;
    expect(current).toMatchObject({ sId: "ann", version: 0 });
    const { versions } = await by().listAgentVersions({ wId: test.workspaceId, agentId: "ann" });
    expect(versions).toHaveLength(1);
  });

  it("ask a definition of an agent that was never saved, which nobody finds", async () => {
    await tryAgent({ draft });
    const [turn] = await answerTestTurns(test.core);
    expect(turn?.agent).toMatchObject({ name: "Draft", version: -1 });
    const { agentConfigurations } = await listAgents(test.context, { view: "all" });
    expect(agentConfigurations.map(({ sId }) => sId)).toEqual(["ann"]);
    const named = { wId: test.workspaceId, agentId: turn?.agent.sid ?? "" };
    expect(await refusalOf(by().listAgentVersions(named))).toBe("404 agent_not_found");
    expect(await refusalOf(tryAgent({ agentId: named.agentId }))).toBe("404 agent_not_found");
  });

  it("leave no draft once the answer is erased, and change no version", async () => {
    test.clock.now += HOUR_MS + 1;
    // Those of other tests.
    await sweepDrafts(test.core);
    await tryAgent({ agentId: "ann", draft });
    await answerTestTurns(test.core);
    test.clock.now += HOUR_MS + 1;
    expect(await sweepDrafts(test.core)).toBe(0);
    expect(await eraseTemporaryConversations(test.core)).toBe(1);
    expect(await sweepDrafts(test.core)).toBe(1);
    expect(await drafts()).toEqual([]);
    const saved = { wId: test.workspaceId, agentId: "ann", name: "Anna" };
    expect((await by().updateAgent(saved)).agentConfiguration.version).toBe(1);
  });

  it.each([
    ["nothing to try", {}, "400 invalid_request_error"],
    [
      "a version of a draft",
      { agentId: "ann", agentVersion: 0, draft },
      "400 invalid_request_error",
    ],
    ["an unknown agent", { agentId: "nobody", draft }, "404 agent_not_found"],
    ["an unknown skill", { draft: { ...draft, skillIds: ["skl_no"] } }, "404 skill_not_found"],
    [
      "a model that is not enabled",
      { draft: { ...draft, model: { providerId: "openai", modelId: "x" } } },
      "400 model_disabled",
    ],
    [
      "a model that is not enabled, for a message",
      {
        agentId: "ann",
        draft,
        message: { content: "x", modelSelection: { providerId: "openai", modelId: "x" } },
      },
      "400 model_disabled",
    ],
  ])("refuse %s and leave nothing", async (_what, input, refusal) => {
    const before = await db().$count(agents);
    expect(await refusalOf(tryAgent(input))).toBe(refusal);
    expect(await db().$count(agents)).toBe(before);
    expect(await db().$count(messages, eq(messages.workspaceId, test.workspace.id))).toBe(0);
  });
});
