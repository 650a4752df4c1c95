import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// What builders read of agents, and how an archived one comes back.

describe("agents", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const { rpc } = calls;
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const script = { steps: [{ text: "I am back" }], tokenDelayMs: 0 };
  const answerOf = async (agentId: string) => {
    const { conversation } = await calls.create("x", [agentId], { blocking: true });
    const message = conversation.content[1]?.[0];
    return message?.type === "agent_message" ? message.content : "nobody";
  };
  const builder = async () => {
    const key = { ...ofDemo(), name: "builder", role: "builder" } as const;
    const { secret } = await rpc().apiKeys.create.mutate(key);
    return createRpcClient({ url: server().url, apiKey: secret });
  };

  test("are read with everything that was written, in the current version", async () => {
    const { skill } = await rpc().skills.create.mutate({
      ...ofDemo(),
      name: "of an agent",
      agentFacingDescription: "x",
    });
    const { functions } = server().demo;
    const functionIds = functions.slice(0, 2).map(({ sId }) => sId);
    const created = await rpc().agents.create.mutate({
      ...ofDemo(),
      name: "Whole",
      description: "All of it",
      instructions: "Be brief",
      model: { providerId: "simulated", modelId: "simulated-1", temperature: 0.25 },
      maxStepsPerRun: 5,
      scope: "hidden",
      script,
      skillIds: [skill.sId],
      functionIds,
    });
    const agentId = created.agentConfiguration.sId;
    const identity = { ...ofDemo(), agentId };
    const reader = await builder();
    expect(await reader.agents.getDefinition.query(identity)).toEqual(created);
    const changed = await rpc().agents.update.mutate({ ...identity, version: 0, name: "Changed" });
    expect(await reader.agents.getDefinition.query(identity)).toEqual(changed);
    expect(changed).toMatchObject({
      agentConfiguration: { version: 1, name: "Changed", instructions: "Be brief" },
      script,
      skillIds: [skill.sId],
      functionIds,
    });
  });

  test("are changed by one of two who have read the same version", async () => {
    const agentId = await calls.createAgent("contested", script);
    const change = (name: string) =>
      rpc().agents.update.mutate({ ...ofDemo(), agentId, version: 0, name });
    const outcomes = await Promise.allSettled([change("one"), change("other")]);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([
      { reason: { data: { type: "version_conflict", httpStatus: 409 } } },
    ]);
    const { agentConfiguration } = await rpc().agents.getDefinition.query({
      ...ofDemo(),
      agentId,
    });
    expect(agentConfiguration.version).toBe(1);
  });

  test("are listed when they are archived, and answer again when they are restored", async () => {
    const agentId = await calls.createAgent("restored", script);
    const identity = { ...ofDemo(), agentId };
    const archived = async () => {
      const found = [];
      let lastValue: string | undefined;
      do {
        const page = await rpc().agents.listAll.query({
          ...ofDemo(),
          status: "archived",
          limit: 1,
          ...(lastValue !== undefined && { lastValue }),
        });
        expect(page.agentConfigurations.length).toBeLessThanOrEqual(1);
        found.push(...page.agentConfigurations);
        lastValue = page.hasMore ? (page.lastValue ?? undefined) : undefined;
      } while (lastValue !== undefined);
      return found.map(({ sId, status }) => [sId, status]);
    };
    expect(await archived()).not.toContainEqual([agentId, "archived"]);
    const other = await calls.createAgent("also archived", script);
    for (const id of [agentId, other]) {
      await rpc().agents.archive.mutate({ ...ofDemo(), agentId: id });
    }
    expect(await archived()).toEqual([agentId, other].toSorted().map((id) => [id, "archived"]));
    expect(await answerOf(agentId)).toBe("nobody");
    const { agentConfiguration } = await rpc().agents.getDefinition.query(identity);
    expect(agentConfiguration.status).toBe("archived");
    await rpc().agents.restore.mutate(identity);
    expect(await answerOf(agentId)).toBe("I am back");
    expect(await archived()).toEqual([[other, "archived"]]);
    // Again changes nothing.
    await rpc().agents.restore.mutate(identity);
    const again = await rpc().agents.getDefinition.query(identity);
    expect(again.agentConfiguration).toMatchObject({ status: "active", version: 0 });
  });
});
