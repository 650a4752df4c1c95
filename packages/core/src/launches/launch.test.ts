import { agentFunctions, apiKeys } from "@parley/db";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  insertTestAgent,
  insertTestFunction,
  readTestRuns,
} from "../../testing/testing.ts";
import { implementations } from "../implementations.ts";
import { launch } from "./launch.ts";
import { requireLaunch } from "./require-launch.ts";

const ofAgent = {
  agentId: "ann",
  agentVersion: null,
  conversationId: null,
  title: undefined,
  spaceId: undefined,
  email: undefined,
  message: "Report",
};

describe("launch", () => {
  const test = workspaceTest({ agents: ["ann"] });
  const start = (
    started: Parameters<typeof launch>[1]["launch"],
    key = "fir_1",
    apiKeyId = test.context.caller.apiKey.id,
  ) => {
    return launch(test.core, {
      apiKeyId,
      launch: started,
      author: { name: "Reports", timezone: "Europe/Berlin" },
      key,
      origin: { requestId: key, traceparent: undefined, depth: 2 },
      signal: new AbortController().signal,
    });
  };
  const agent = (changes: Partial<typeof ofAgent> & object = {}) => ({
    agent: { ...ofAgent, ...changes },
    function: undefined,
  });
  const ofFunction = (functionId: string, input: unknown = null) => ({
    agent: undefined,
    function: { functionId, functionVersion: null, input },
  });
  const read = async (cId: string) => {
    const { conversation } = await implementations["conversations.get"](test.context, {
      wId: test.workspaceId,
      cId,
    } as never);
    return conversation;
  };

  it("starts an agent's conversation once for its key", async () => {
    const started = await start(agent());
    expect(await start(agent({ message: "Edited" }))).toEqual(started);
    expect(await readTestRuns(test.core)).toMatchObject([
      { kind: "agent_turn", logId: started?.logId, depth: 2, requestId: "fir_1" },
    ]);
    expect(await read(started?.conversationId ?? "")).toMatchObject({
      content: [
        [
          {
            type: "user_message",
            content: "Report",
            context: { username: "Reports", timezone: "Europe/Berlin" },
          },
        ],
        [{ type: "agent_message", sId: started?.messageId }],
      ],
    });
    expect((await start(agent(), "fir_2"))?.conversationId).not.toBe(started?.conversationId);
  });

  it("goes on with a conversation, once for its key", async () => {
    const { conversationId = "" } = (await start(agent())) ?? {};
    await answerTestTurns(test.core);
    const next = await start(agent({ conversationId } as never), "fir_2");
    expect(await start(agent({ conversationId } as never), "fir_2")).toEqual(next);
    expect(next).toMatchObject({ conversationId });
    expect((await read(conversationId)).content).toHaveLength(4);
  });

  it("starts the pinned version of an agent that has changed", async () => {
    const versions = { sid: "eve", isCurrent: false, name: "Before" };
    await insertTestAgent(test.core, test.workspace, versions);
    await insertTestAgent(test.core, test.workspace, { sid: "eve", version: 1, name: "After" });
    const startedAs = async (agentVersion: number | null, key: string) => {
      const { conversationId = "" } =
        (await start(agent({ agentId: "eve", agentVersion } as never), key)) ?? {};
      const [, [answer] = []] = (await read(conversationId)).content;
      return answer?.type === "agent_message" && answer.configuration.name;
    };
    expect(await startedAs(0, "fir_1")).toBe("Before");
    expect(await startedAs(null, "fir_2")).toBe("After");
    await expect(startedAs(2, "fir_3")).rejects.toMatchObject({ type: "agent_not_found" });
  });

  it("invokes a function once for its key", async () => {
    await insertTestFunction(test.core, test.workspace, { slug: "totals" });
    const started = await start(ofFunction("totals", { day: 1 }));
    expect(started?.invocationId).toMatch(/^sfi_/);
    expect(await start(ofFunction("totals", { day: 2 }))).toEqual(started);
    expect(await readTestRuns(test.core)).toHaveLength(1);
  });

  it("starts nothing for a key that was revoked", async () => {
    const { id } = test.context.caller.apiKey;
    const { db } = test.core.database;
    await db.update(apiKeys).set({ revokedAt: 1 }).where(eq(apiKeys.id, id));
    expect(await start(agent())).toBeUndefined();
    expect(await readTestRuns(test.core)).toEqual([]);
  });

  describe("requireLaunch", () => {
    const check = (launched: Parameters<typeof requireLaunch>[2]) =>
      requireLaunch(test.context, test.context.caller, launched);

    it.each([
      [
        { agent: undefined, function: undefined },
        "exactly one of agent and function must be there",
      ],
      [agent({ agentId: "nobody" }), "the workspace has no such agent"],
      [agent({ agentVersion: 7 } as never), "the agent has no such version"],
      [agent({ conversationId: "none" } as never), "no such conversation"],
      [agent({ email: "nobody@shop.test" } as never), "agent.email: the workspace has no member"],
      [agent({ spaceId: "none" } as never), "the workspace has no such space"],
      [ofFunction("none"), "The workspace has no such function"],
    ])("refuses %j", async (launched, message) => {
      await expect(check(launched)).rejects.toThrow(message);
    });

    it("refuses an agent whose calls nobody could approve", async () => {
      const row = await insertTestAgent(test.core, test.workspace, { sid: "asks" });
      const { id: functionId } = await insertTestFunction(test.core, test.workspace, {
        slug: "refund",
        requiresApproval: true,
      });
      const { db } = test.core.database;
      await db.insert(agentFunctions).values({ agentId: row.id, functionId, position: 0 });
      await expect(check(agent({ agentId: "asks" }))).rejects.toThrow(
        "agent.email: must name the member who is asked: the function refund of the agent",
      );
    });
  });
});
