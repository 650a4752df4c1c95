import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { awaitQuestion } from "../agent-calls/await-question.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { openClient, PACKAGE, versions } from "./install-client.ts";
import { installPackages } from "./install-package.ts";
import { type Published, resultOf } from "./published-client.ts";

// Published clients add tools to conversations, approve their calls, and answer questions of agents.

describe("published clients", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "parley-clients-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  // Older ones have neither tools of spaces nor of conversations.
  describe.for(versions.filter((version) => version >= "1.2"))(`${PACKAGE} %s`, (version) => {
    let client: Published;
    let missing: string | undefined;
    beforeAll(async () => {
      const folder = path.join(directory, version);
      missing = await installPackages(folder, [`${PACKAGE}@${version}`]);
      if (missing !== undefined) return;
      const { workspaceId, adminKey: apiKey } = server().demo;
      client = openClient(folder, { url: server().url, workspaceId, apiKey });
    });
    beforeEach((context) => {
      if (missing === undefined) return;
      console.warn(missing);
      context.skip(missing);
    });

    test("finds the tools of a space, adds one, and approves its call", async () => {
      const { tool } = await agents.register(shop());
      const views = resultOf(await client.getMCPServerViews(tool.spaceId, true));
      expect(views).toContainEqual(expect.objectContaining({ sId: tool.sId, name: "shop" }));
      const agentId = await agents.createAgent(tool.sId, "shop__buy");
      const wId = server().demo.workspaceId;
      await calls.rpc().agents.update.mutate({ wId, agentId, toolIds: [] });
      const { conversation } = await calls.create("First", []);
      const conversationId = conversation.sId;
      const change = { conversationId, mcpServerViewId: tool.sId };
      resultOf(await client.postConversationTools({ ...change, action: "add" }));
      const posted = { content: "Buy", mentions: [{ configurationId: agentId }] };
      const { agentMessages } = await calls.post(conversationId, posted);
      const messageId = agentMessages[0]!.sId;
      const blocked = async () => {
        const list = calls.rpc().conversations.listBlockedActions;
        return (await list.query({ wId, cId: conversationId })).blockedActions[0]?.actionId;
      };
      await expect.poll(blocked).toBeDefined();
      const actionId = await blocked();
      const listed = await client.getBlockedActions?.({ conversationId });
      const { blockedActions } =
        listed === undefined ? { blockedActions: [{ actionId }] } : resultOf(listed);
      expect(blockedActions).toMatchObject([{ actionId }]);
      const decision = { conversationId, messageId, actionId, approved: "approved" };
      resultOf(await client.validateAction(decision));
      const answer = async () => answersOf(await calls.get(conversationId))[0]?.content;
      await expect.poll(answer).toBe("Let me see. It says: Bought shoes");
      resultOf(await client.postConversationTools({ ...change, action: "delete" }));
    });

    test("answers the question of an agent", async (context) => {
      const { answerUserQuestion } = client;
      if (answerUserQuestion === undefined) {
        context.skip("not of this version");
        return;
      }
      const { path: answerPath, actionId } = await awaitQuestion(server);
      const [, conversationId = "", messageId = ""] =
        /conversations\/(\w+)\/messages\/(\w+)\//.exec(answerPath) ?? [];
      const answer = { selectedOptions: [], customResponse: "Ada" };
      const given = { conversationId, messageId, actionId, answer };
      resultOf(await answerUserQuestion.call(client, given));
      const [message] = answersOf(await calls.get(conversationId));
      expect(message?.actions).toMatchObject([
        { status: "succeeded", output: [{ type: "text", text: "Ada" }] },
      ]);
    });
  });
});
