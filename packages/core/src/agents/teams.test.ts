import { endpoints, parseInput, type TeamMember } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { insertTestAgent } from "../../testing/testing.ts";
import { archiveAgent, createAgent, updateAgent } from "./agent-administration.ts";
import { listAgentVersions } from "./version-history.ts";

const ask = (agentId: string, name = agentId): TeamMember => ({ agentId, name, mode: "ask" });

describe("teams", () => {
  const test = workspaceTest({ role: "admin", agents: ["ann", "bob"] });
  const wId = () => test.workspaceId;
  const change = async (agentId: string, changed: object) => {
    const input = { wId: wId(), agentId, ...changed };
    return updateAgent(test.context, parseInput(endpoints["agents.update"], input));
  };
  const update = async (agentId: string, team: TeamMember[]) => change(agentId, { team });

  it("are of a version, and stay where a change does not name them", async () => {
    expect((await update("ann", [ask("bob")])).team).toEqual([ask("bob")]);
    const renamed = await change("ann", { name: "Anna" });
    expect(renamed.team).toEqual([ask("bob")]);
    const page = { wId: wId(), agentId: "ann", limit: 10, lastValue: undefined };
    const { versions } = await listAgentVersions(test.context, page);
    expect(versions.map(({ changes }) => changes)).toEqual([["name"], ["team"], null]);
  });

  it("have active agents of the workspace only", async () => {
    await archiveAgent(test.context, { wId: wId(), agentId: "bob" });
    for (const team of [[ask("nobody")], [ask("bob")]]) {
      await expect(update("ann", team)).rejects.toThrow("team[0].agentId: the workspace has no");
    }
    const model = { providerId: "simulated", modelId: "simulated-1" };
    const made = { wId: wId(), name: "Eve", description: "", model, team: [ask("bob")] };
    const created = createAgent(test.context, parseInput(endpoints["agents.create"], made));
    await expect(created).rejects.toThrow("no such active agent");
  });

  it("are refused if the agents that are asked ask in turn, but not if they hand over", async () => {
    await insertTestAgent(test.core, test.workspace, { sid: "eve", team: [ask("ann")] });
    await update("bob", [ask("eve")]);
    await expect(update("ann", [ask("ann")])).rejects.toThrow("in its own team");
    await expect(update("ann", [ask("bob")])).rejects.toThrow("team[0].agentId: the agent eve");
    const handover = { ...ask("bob"), mode: "handover" as const };
    expect((await update("ann", [handover])).team).toEqual([handover]);
  });
});
