import path from "node:path";
import {
  agentMessages,
  createParley,
  createRpcClient,
  type MessageEvent,
  type Parley,
} from "parley-client";
import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { type Fleet, startFleet } from "../replicas/fleet.ts";
import { createPlace, eventually, type Place, within } from "../server.ts";
import { type ShopServer, startShopServer } from "../tools/shop-server.ts";

// From a folder with a SKILL.md to a purchase that a person approves, and whose worker dies: the shop
// counts what it was asked.

describe.skipIf(redisServer.isMissing)(`a tool of a remote server${redisServer.suffix}`, () => {
  let place: Place;
  let fleet: Fleet;
  let shop: ShopServer;
  let redis: TestRedis;
  let toolId: string;
  let skillIds: string[];
  /** The person who asks and approves. */
  let ada: Parley;

  const builder = () => createRpcClient({ url: fleet.apis[0]!.url, apiKey: fleet.demo.adminKey });
  const wId = () => fleet.demo.workspaceId;

  /** Runs a command beside the server, and gives what it printed. */
  const parley = async (...args: string[]) => {
    const environment = {
      PARLEY_URL: fleet.apis[0]!.url,
      PARLEY_WORKSPACE: wId(),
      PARLEY_API_KEY: fleet.demo.adminKey,
    };
    const { code, stdout, stderr } = await runCli(args, { environment });
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };

  beforeAll(async () => {
    [place, shop, redis] = await Promise.all([createPlace(), startShopServer(), startTestRedis()]);
    const settings = {
      PARLEY_PRIVATE_HOSTS: "127.0.0.1",
      PARLEY_LEASE_MS: "500",
      REDIS_URL: redis.url,
    };
    fleet = await startFleet(place, { apis: 1, workers: 1 }, settings);

    // A builder registers the shop, whose calls need approval, and imports a folder.
    const registered = await parley("tools", "create", shop.url, "--json");
    ({ sId: toolId } = (JSON.parse(registered) as { tool: { sId: string } }).tool);
    const folder = path.join(import.meta.dirname, "skills/selling");
    const imported = await parley(
      "skills",
      "import",
      folder,
      "--status",
      "active",
      "--availability",
      "workspace_users",
    );
    const [skillId = ""] = /skl_\w+/.exec(imported) ?? [];
    skillIds = [skillId];
    const skill = { wId: wId(), skillId };
    const { version } = await builder().skills.get.query(skill);
    await builder().skills.update.mutate({ ...skill, version, toolIds: [toolId] });

    const { secret } = await builder().userTokens.create.mutate({
      wId: wId(),
      externalId: "ada",
      scopes: ["conversations:read", "conversations:write", "agents:read"],
    });
    ada = createParley({ baseUrl: fleet.apis[0]!.url, workspaceId: wId(), apiKey: secret });
  }, 120_000);
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
    await redis.kill();
  }, 60_000);

  const until = async (isSo: () => boolean) =>
    eventually(async () => (isSo() ? { value: true } : {}), 20_000);

  /** Ada asks an agent with the skill, which buys with a tool of the shop, and approves its call. */
  async function ask(tool: string) {
    const { agentConfiguration } = await builder().agents.create.mutate({
      wId: wId(),
      name: `Seller who uses ${tool}`,
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      skillIds,
      script: {
        tokenDelayMs: 50,
        steps: [
          { text: "Wait. ", toolCalls: [{ name: "skills__load", params: { name: "selling" } }] },
          { text: "I buy. ", toolCalls: [{ name: `shop__${tool}`, params: { word: "boots" } }] },
          { text: "The shop says: {{result}}. That is all that there is to say about boots." },
        ],
      },
    });
    const before = shop.calls.length;
    const { conversation } = await ada.conversations.create({
      message: { content: "Boots?", mentions: [{ configurationId: agentConfiguration.sId }] },
    });
    const conversationId = conversation.sId;
    const [{ sId: messageId } = { sId: "" }] = agentMessages(conversation);
    // She follows the answer on one stream, whatever happens to workers.
    const seen: MessageEvent[] = [];
    const follow = async () => {
      for await (const event of ada.messages.follow({ conversationId, messageId }))
        seen.push(event);
    };
    const followed = follow();
    await until(() => seen.some(({ type }) => type === "tool_approve_execution"));
    const { blockedActions } = await ada.actions.listBlocked();
    expect(blockedActions).toMatchObject([
      {
        conversationId,
        messageId,
        stake: "high",
        inputs: { word: "boots" },
        metadata: { mcpServerName: "shop", toolName: tool },
      },
    ]);
    expect(shop.calls.length).toBe(before);
    const [{ actionId } = { actionId: "" }] = blockedActions;
    const approved = "approved" as const;
    await ada.messages.validateAction({ conversationId, messageId, actionId, approved });
    const spoken = () =>
      seen.map((event) => (event.type === "generation_tokens" ? event.text : "")).join("");
    return {
      seen,
      spoken,
      calls: () => shop.calls.slice(before),
      /** The whole answer, once it has ended. */
      answer: async () => {
        await within(30_000, followed);
        const last = seen.at(-1)!;
        expect(last.type).toBe("agent_message_success");
        const read = await ada.conversations.get({ conversationId });
        const answer = read.conversation.content.at(-1)!.at(-1)!;
        if (answer.type !== "agent_message") throw new Error("Nobody has answered");
        // What was published is what stays, each word once.
        expect(spoken()).toBe(answer.content);
        return answer;
      },
    };
  }
  const rest = "That is all that there is to say about boots.";

  test("a call that was answered before its worker died is not made again", async () => {
    const { seen, spoken, calls, answer } = await ask("buy");
    await until(() => spoken().includes("The shop"));
    const worker = fleet.workers[0]!;
    worker.signal("SIGKILL");
    expect(await worker.exited).toBe(null);
    // In the middle of a sentence.
    expect(seen.at(-1)?.type).toBe("generation_tokens");
    await fleet.replaceWorker(0, "SIGKILL");
    const { content, actions } = await answer();
    expect(content).toBe(`Wait. I buy. The shop says: Bought boots. ${rest}`);
    expect(actions.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
    expect(calls()).toEqual([{ name: "buy", arguments: { word: "boots" } }]);
  });

  test("a call whose worker died in the meantime is interrupted, and not made again", async () => {
    const { calls, answer } = await ask("wait");
    await until(() => calls().length === 1);
    await fleet.replaceWorker(0, "SIGKILL");
    const { content, actions } = await answer();
    expect(content).toMatch(/^Wait\. I buy\. The shop says: .*interrupted.* That is all/);
    expect(content.endsWith(rest)).toBe(true);
    expect(actions.map(({ status }) => status)).toEqual(["succeeded", "errored"]);
    expect(calls()).toHaveLength(1);
    shop.release();
  });

  test("a call that is retryable is made once more", async () => {
    await parley("tools", "update", toolId, "--retryable", "wait");
    const { calls, answer } = await ask("wait");
    await until(() => calls().length === 1);
    await fleet.replaceWorker(0, "SIGKILL");
    await until(() => calls().length === 2);
    shop.release();
    const { content, actions } = await answer();
    expect(content).toBe(`Wait. I buy. The shop says: Waited. ${rest}`);
    expect(actions.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
    expect(calls()).toHaveLength(2);
    expect(fleet.unexpected()).toEqual([]);
  });
});
