import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPlace, eventually, type Place, type ServerProcess, startServer } from "../server.ts";
import { answersOf, createCalls, readUntil } from "../siblings/calls.ts";
import { conversationFrame, messageFrame } from "../siblings/sibling-shapes.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { type ShopServer, startShopServer } from "../tools/shop-server.ts";

const settings = { PARLEY_PRIVATE_HOSTS: "127.0.0.1", PARLEY_LEASE_MS: "500" };

// A worker dies while a remote tool runs: the tool's side counts its calls.
describe("calls of remote tools whose worker dies", () => {
  let place: Place;
  let server: ServerProcess;
  let shop: ShopServer;
  const calls = createCalls(() => server);
  const agents = createShopAgents(() => server);
  beforeAll(async () => {
    place = await createPlace();
    shop = await startShopServer();
    server = await startServer(place, settings);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const replaceServer = async () => {
    await server.kill();
    server = await startServer(place, settings);
  };
  const ask = async (name: string, more: Parameters<typeof agents.register>[1] = {}) => {
    const { tool } = await agents.register(shop, { defaultStake: "never_ask", ...more });
    const agentId = await agents.createAgent(tool.sId, `shop__${name}`);
    const before = shop.calls.length;
    const { conversation } = await calls.create("Go on", [agentId]);
    return {
      cId: conversation.sId,
      mId: conversation.content.at(-1)!.at(-1)!.sId,
      callsSince: () => shop.calls.length - before,
    };
  };
  const answerOf = async (cId: string) => {
    const isDone = ({ data }: { data: { type: string } }) => data.type === "agent_message_done";
    await readUntil(await calls.stream(`/${cId}/events`), conversationFrame, isDone);
    return answersOf(await calls.get(cId))[0]!;
  };
  const until = async (isSo: () => boolean) =>
    eventually(async () => (isSo() ? { value: true } : {}), 20_000);

  it("are not made again: the model is told that they were interrupted", async () => {
    const { cId, callsSince } = await ask("wait");
    await until(() => callsSince() === 1);
    await replaceServer();
    const answer = await answerOf(cId);
    expect(answer).toMatchObject({ status: "succeeded", actions: [{ status: "errored" }] });
    expect(answer.content).toContain("interrupted");
    expect(callsSince()).toBe(1);
    shop.release();
  });

  it("are made once more if that is allowed", async () => {
    const { cId, callsSince } = await ask("wait", { retryableTools: ["wait"] });
    await until(() => callsSince() === 1);
    await replaceServer();
    await until(() => callsSince() === 2);
    shop.release();
    const answer = await answerOf(cId);
    expect(answer.content).toBe("Let me see. It says: Waited");
    expect(callsSince()).toBe(2);
  });

  it("are not made again once they have answered", async () => {
    const { cId, mId, callsSince } = await ask("find");
    const stream = await calls.stream(`/${cId}/messages/${mId}/events`);
    await readUntil(stream, messageFrame, ({ data }) => data.type === "agent_action_success");
    await replaceServer();
    const answer = await answerOf(cId);
    expect(answer.content).toBe("Let me see. It says: Found shoes");
    expect(callsSince()).toBe(1);
  });

  it("wait for their approval on", async () => {
    const { cId, mId, callsSince } = await ask("buy", { defaultStake: "high" });
    const blocked = async () => {
      const { blockedActions } = await calls.rpc().conversations.listBlockedActions.query({
        wId: server.demo.workspaceId,
        cId,
      });
      return blockedActions;
    };
    await eventually(async () => ((await blocked()).length > 0 ? { value: true } : {}), 10_000);
    await replaceServer();
    const [{ actionId } = { actionId: "" }] = await blocked();
    const json = { actionId, approved: "approved" };
    await calls.call("POST", `/${cId}/messages/${mId}/validate-action`, { json });
    const answer = await answerOf(cId);
    expect(answer.content).toBe("Let me see. It says: Bought shoes");
    expect(callsSince()).toBe(1);
  });
});
