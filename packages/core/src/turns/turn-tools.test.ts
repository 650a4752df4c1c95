import {
  agentSkills,
  agentTools,
  conversations,
  conversationTools,
  skills,
  skillTools,
} from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  claimTestTurns,
  createTestConversation,
  insertTestAgent,
  postTestMessage,
} from "../../testing/testing.ts";
import { createTestToolServers, testTool } from "../../testing/tool-servers.ts";
import { registerTool } from "../tools/register-tools.ts";
import type { CalledServer } from "../tools/called-servers.ts";
import { createSpace } from "../workspaces/spaces.ts";
import { knownServers, toTurnTools, type TurnServer } from "./turn-tools.ts";

describe("the tools of a turn", () => {
  const toolServers = createTestToolServers();
  const test = workspaceTest({ per: "suite", role: "admin", parts: { toolServers } });
  const toolIds: Record<string, number> = {};
  const skillIds: Record<string, number> = {};

  const addTo = async (agentId: number, granted: { skills?: string[]; tools?: string[] }) => {
    const { db } = test.core.database;
    for (const [position, name] of (granted.skills ?? []).entries()) {
      await db.insert(agentSkills).values({ agentId, skillId: skillIds[name]!, position });
    }
    for (const [position, name] of (granted.tools ?? []).entries()) {
      await db.insert(agentTools).values({ agentId, toolId: toolIds[name]!, position });
    }
  };
  beforeAll(async () => {
    const { db } = test.core.database;
    const wId = test.workspaceId;
    const named = parseInput(endpoints["spaces.create"], { wId, name: "Tools" });
    const { space } = await createSpace(test.context, named);
    for (const name of ["own", "sell", "find", "both", "kept"]) {
      const url = `https://${name}.test/mcp`;
      toolServers.answers.set(url, [testTool("do")]);
      const given = { wId, spaceId: space.sId, url, name, isRestrictedToSkills: name === "kept" };
      const { tool } = await registerTool(
        test.context,
        parseInput(endpoints["tools.register"], given),
      );
      toolIds[name] = tool.id;
    }
    const has = {
      selling: ["sell", "both", "kept"],
      finding: ["find", "sell"],
      everyones: ["both", "find"],
    };
    for (const [name, tools] of Object.entries(has)) {
      const [row] = await db
        .insert(skills)
        .values({
          sid: test.core.newId("skl"),
          workspaceId: test.workspace.id,
          name,
          status: "active",
          availability: name === "everyones" ? "users_and_agents" : "workspace_users",
          agentFacingDescription: "",
          userFacingDescription: "",
          reinforcement: "off",
          createdAt: 0,
          updatedAt: 0,
        })
        .returning();
      skillIds[name] = row!.id;
      for (const [position, tool] of tools.entries()) {
        await db.insert(skillTools).values({ skillId: row!.id, toolId: toolIds[tool]!, position });
      }
    }
    const ann = await insertTestAgent(test.core, test.workspace, { sid: "ann" });
    await addTo(ann.id, { skills: ["selling", "finding"], tools: ["own", "both", "kept"] });
    const bob = await insertTestAgent(test.core, test.workspace, { sid: "bob" });
    await addTo(bob.id, { skills: ["finding"] });
  });

  const toolsOf = async () => {
    const [claimed] = await claimTestTurns(test.core);
    return claimed!.turn.tools.map(({ name, skillIds: of }) => {
      const names = Object.keys(skillIds).filter((skill) => of?.includes(skillIds[skill]!));
      return [name, of === null ? null : names];
    });
  };

  it("name the skills that they come with, unless the agent has them itself", async () => {
    await createTestConversation(test.context, ["ann"]);
    expect(await toolsOf()).toEqual([
      ["own__do", null],
      ["both__do", null],
      ["sell__do", ["selling", "finding"]],
      ["find__do", ["finding", "everyones"]],
      // Only skills may use it, although it is the agent's own.
      ["kept__do", ["selling"]],
    ]);
  });

  it("are there from the start where the conversation has them", async () => {
    const { conversation } = await createTestConversation(test.context, []);
    const { db } = test.core.database;
    const [row] = await db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.sid, conversation.sId));
    const added = { conversationId: row!.id, toolId: toolIds["find"]!, createdAt: 0 };
    await db.insert(conversationTools).values(added);
    await postTestMessage(test.context, conversation.sId, { agentIds: ["bob"] });
    expect(await toolsOf()).toEqual([
      ["find__do", null],
      ["sell__do", ["finding"]],
      ["both__do", ["everyones"]],
    ]);
  });
});

const serverOf = (name: string, tools: readonly string[], toolId = 1): CalledServer => ({
  sid: `msv_${name}`,
  name,
  offered: tools.map((tool) => {
    return { name: tool, description: tool, inputSchema: { type: "object" } };
  }),
  functionOf: () => {
    throw new Error("No call is made");
  },
  stakeOf: () => "low",
  address: {},
  isPersonal: false,
  approvals: { toolId },
});

it("tools have the same order and names, in whichever order a server lists them", () => {
  const namesOf = (...tools: string[]) =>
    toTurnTools([serverOf("wiki", tools), serverOf("archive", ["read"])], []).map(
      ({ name }) => name,
    );
  const names = ["wiki__find", "wiki__find_2", "wiki__list", "archive__read"];
  expect(namesOf("list", "find", "Find")).toEqual(names);
  expect(namesOf("Find", "list", "find")).toEqual(names);
});

const serversOf = (count: number, skillIds: readonly number[] | null, first: number) =>
  Array.from({ length: count }, (_, index): TurnServer => ({ toolId: first + index, skillIds }));

it("a turn knows 16 servers of its own, and 32 of its skills beside them", () => {
  const own = serversOf(20, null, 0);
  const ofSkills = serversOf(40, [1], 100);
  const known = knownServers([...own, ...ofSkills]);
  expect(known).toEqual([...own.slice(0, 16), ...ofSkills.slice(0, 32)]);
  expect(knownServers(ofSkills)).toEqual(ofSkills.slice(0, 32));
});

it("a turn knows 128 tools of its own, and 512 of its skills beside them", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
  const servers = [...serversOf(2, null, 1), ...serversOf(6, [1], 3)];
  const called = servers.map(({ toolId }) => serverOf(`s${toolId}`, names(100), toolId));
  const tools = toTurnTools(called, servers);
  const count = (isOwn: boolean) =>
    tools.filter(({ skillIds }) => (skillIds === null) === isOwn).length;
  expect([count(true), count(false)]).toEqual([128, 512]);
});
