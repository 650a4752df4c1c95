import { isNightly } from "@parley/db/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPlace, type Place, type ServerProcess, startServer } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame } from "../siblings/sibling-shapes.ts";

/** A server that has just started may renew its leases late: a turn that dies twice ends. */
const settings = { PARLEY_LEASE_MS: "2500" };
const TREES = isNightly ? 24 : 2;
/** Of one tree: a turn that dies twice ends as interrupted. */
const KILLS = 1;
const model = { providerId: "simulated", modelId: "simulated-1" };

// A tree of 1 + 2 + 4 agents on a server that is killed again and again.
describe("agents that ask others while their server is killed", () => {
  let place: Place;
  let server: ServerProcess;
  const calls = createCalls(() => server);
  beforeAll(async () => {
    place = await createPlace();
    server = await startServer(place, settings);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const createAgent = async (name: string, asked?: string) => {
    const call = { name: "ask_next", params: { task: `For ${name}` } };
    const asking = [{ text: "One ", toolCalls: [call, call] }, { text: "two three. {{result}}" }];
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server.demo.workspaceId,
      name,
      description: "",
      model,
      team: asked === undefined ? [] : [{ agentId: asked, name: "next" }],
      script: {
        steps: asked === undefined ? [{ text: "One two three." }] : asking,
        tokenDelayMs: 100,
      },
    });
    return agentConfiguration.sId;
  };

  it("give each task once, and answer with what the tasks said", async () => {
    const agentId = await createAgent(
      "top",
      await createAgent("middle", await createAgent("leaf")),
    );
    for (let tree = 0; tree < TREES; tree++) {
      const { answer, total } = await play(agentId, tree);
      expect(answer, JSON.stringify(answer.error)).toMatchObject({
        status: "succeeded",
        content: "One two three. One two three. One two three.",
      });
      // Two steps of each that asks, and one of each leaf.
      expect(total).toMatchObject({ answers: 7, steps: 10, toolCalls: 6 });
    }
  });

  const play = async (agentId: string, tree: number) => {
    const { conversation } = await calls.create("Go on", [agentId]);
    const cId = conversation.sId;
    for (let kill = 0; kill < KILLS; kill++) {
      // The time of the kill is what varies; nothing is expected at it.
      await sleep(100 + ((tree * 130 + kill * 370) % 1000));
      await server.kill();
      server = await startServer(place, settings);
    }
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    const answer = answersOf(await calls.get(cId))[0]!;
    const wId = server.demo.workspaceId;
    const { total } = await calls.rpc().conversations.getConsumption.query({ wId, cId });
    return { answer, total };
  };
});
