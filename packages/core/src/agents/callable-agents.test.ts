import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestWorkspace, openTestContext } from "../../testing/testing.ts";
import { findCallableAgent, listCallableAgents } from "./callable-agents.ts";

const model = { providerId: "simulated", modelId: "simulated-1" };

describe("callable agents", () => {
  const test = workspaceTest();

  const create = async (name: string): Promise<string> => {
    const made = await test.operator.createAgent({
      wId: test.workspaceId,
      name,
      description: "",
      model,
    });
    return made.agentConfiguration.sId;
  };
  const slugs = async () => {
    const { agents } = await listCallableAgents(test.context, { limit: 100 });
    return new Map(agents.map(({ sId, slug }) => [sId, slug]));
  };

  it.each([
    ["Night Clerk", "night-clerk"],
    ["  --A/B  test!--", "a-b-test"],
    ["日本語", "agent"],
    ["long ".repeat(20), "long-long-long-long-long-long-long-long-long-lon"],
  ])("of the name %j have the slug %s", async (name, slug) => {
    const sId = await create(name);
    expect(await slugs()).toEqual(new Map([[sId, slug]]));
    expect(await findCallableAgent(test.context, slug)).toMatchObject({ sId, name });
  });

  it("keep their slugs whatever other agents come and go", async () => {
    const first = await create("Clerk");
    const second = await create("clerk!");
    const before = await slugs();
    expect(before.get(first)).toBe("clerk");
    expect(before.get(second)).toMatch(/^clerk_[0-9a-f]{8}$/);
    await test.operator.updateAgent({
      wId: test.workspaceId,
      agentId: first,
      description: "A new version",
    });
    expect(await slugs()).toEqual(before);
    await test.operator.archiveAgent({ wId: test.workspaceId, agentId: first });
    expect(await slugs()).toEqual(new Map([[second, before.get(second)]]));
    expect(await findCallableAgent(test.context, "clerk")).toBeUndefined();
    const third = await create("CLERK");
    expect((await slugs()).get(third)).toMatch(/^clerk_[0-9a-f]{8}$/);
  });

  it("come in pages, of their workspace alone", async () => {
    const sIds = [await create("a"), await create("b"), await create("c")].toSorted();
    const page = await listCallableAgents(test.context, { limit: 2 });
    expect(page.agents.map(({ sId }) => sId)).toEqual(sIds.slice(0, 2));
    expect(page).toMatchObject({ hasMore: true, lastValue: sIds[1] });
    const rest = await listCallableAgents(test.context, { limit: 2, lastValue: sIds[1] });
    expect(rest.agents.map(({ sId }) => sId)).toEqual(sIds.slice(2));
    expect(rest.hasMore).toBe(false);
    const other = await openTestContext(test.core, await insertTestWorkspace(test.core));
    expect(await listCallableAgents(other, { limit: 2 })).toMatchObject({ agents: [] });
    expect(await findCallableAgent(other, "a")).toBeUndefined();
  });
});
