import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openClient, PACKAGE, versions } from "./install-client.ts";
import { installPackages } from "./install-package.ts";
import { type Published, type PublishedConversation, resultOf } from "./published-client.ts";

// Clients that are published for the interface work as they are: installed into a folder of their
// own, they are called by the methods that their types name.

describe("published clients", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let directory: string;
  let agentId: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "parley-clients-"));
    const rpc = calls.rpc();
    const { workspaceId } = server().demo;
    await rpc.sandboxFunctions.create.mutate({
      wId: workspaceId,
      slug: "refund",
      description: "Pays back",
      inputSchema: {},
      program: { type: "simulated", behaviour: { steps: [], result: "'paid'" } },
      requiresApproval: true,
    });
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId: workspaceId,
      name: "Clerk",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: ["refund"],
      script: {
        steps: [
          { text: "One moment. ", toolCalls: [{ name: "refund", params: { order: "4711" } }] },
          { text: "Done: {{result}}" },
        ],
      },
    });
    agentId = agentConfiguration.sId;
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  describe.for(versions)(`${PACKAGE} %s`, (version) => {
    let client: Published;
    let admin: Published;
    let missing: string | undefined;
    beforeAll(async () => {
      const folder = path.join(directory, version);
      missing = await installPackages(folder, [`${PACKAGE}@${version}`]);
      if (missing !== undefined) return;
      const { workspaceId, userKey, adminKey } = server().demo;
      const connect = (apiKey: string) =>
        openClient(folder, { url: server().url, workspaceId, apiKey });
      client = connect(userKey);
      admin = connect(adminKey);
    });
    beforeEach((context) => {
      if (missing === undefined) return;
      console.warn(missing);
      context.skip(missing);
    });

    const messageTo = (agent: string, content = "Hello") => ({
      content,
      mentions: [{ configurationId: agent }],
      context: {
        username: "ada",
        timezone: "Europe/Kyiv",
        fullName: "Ada",
        email: null,
        profilePictureUrl: null,
        origin: "api",
      },
    });
    const create = async (agent: string, further: object = {}) =>
      resultOf(
        await client.createConversation({
          title: null,
          visibility: "unlisted",
          message: messageTo(agent),
          ...further,
        }),
      );
    const read = async ({ sId: conversationId }: { sId: string }): Promise<PublishedConversation> =>
      resultOf(await client.getConversation({ conversationId }));
    const answerIn = ({ content }: PublishedConversation) => {
      const answer = content.at(-1)?.at(-1);
      if (answer?.type !== "agent_message") throw new Error("The last message is no answer");
      return answer;
    };
    const upload = async () => {
      const bytes = "We open at nine.";
      const fileObject = new File([bytes], "hours.txt", { type: "text/plain" });
      const about = { contentType: "text/plain", fileName: "hours.txt", fileSize: bytes.length };
      return resultOf(await client.uploadFile({ ...about, useCase: "conversation", fileObject }));
    };

    test("creates a conversation with what is attached to it", async () => {
      const file = await upload();
      const inline = { title: "inline", content: "Text", contentType: "text/plain" };
      const { conversation, message } = await create("helper", {
        contentFragment: { ...inline, url: null, context: null },
        contentFragments: [{ title: "file", fileId: file.sId, url: null, context: null }],
        blocking: true,
      });
      expect(message?.type).toBe("user_message");
      const stored = await read(conversation);
      expect(stored.content.map(([one]) => one?.title ?? one?.type)).toEqual([
        "inline",
        "file",
        "user_message",
        "agent_message",
      ]);
      expect(answerIn(stored).status).toBe("succeeded");
    });

    test("is asked on the stream to approve a call, approves it and reads the rest", async () => {
      const { conversation, message } = await create(agentId);
      const answer = answerIn(conversation);
      const stream = resultOf(
        await client.streamAgentAnswerEvents({ conversation, userMessageId: message?.sId ?? "" }),
      );
      const types: string[] = [];
      let text = "";
      for await (const event of stream.eventStream) {
        types.push(event.type);
        if (event.type === "generation_tokens") text += event.text ?? "";
        if (event.type !== "tool_approve_execution") continue;
        expect(event.metadata?.toolName).toBe("refund");
        const of = { conversationId: conversation.sId, messageId: answer.sId };
        // Not every version lists them.
        const listed = await client.getBlockedActions?.(of);
        const blocked = listed && resultOf(listed).blockedActions;
        expect(blocked?.map(({ actionId }) => actionId) ?? [event.actionId]).toEqual([
          event.actionId,
        ]);
        const decision = { actionId: event.actionId ?? "", approved: "approved" };
        resultOf(await client.validateAction({ ...of, ...decision }));
      }
      expect(types.filter((type) => type !== "generation_tokens")).toEqual(
        expect.arrayContaining(["tool_approve_execution", "agent_message_success"]),
      );
      expect(text).toBe('One moment. Done: "paid"');
    });

    test("deletes a file, which is gone then", async () => {
      const file = await upload();
      const { workspaceId, userKey } = server().demo;
      const url = `${server().url}/api/v1/w/${workspaceId}/files/${file.sId}`;
      const headers = { authorization: `Bearer ${userKey}` };
      expect(await (await fetch(url, { headers })).text()).toBe("We open at nine.");
      resultOf(await client.deleteFile({ fileID: file.sId }));
      expect((await fetch(url, { headers })).status).toBe(404);
    });

    test("cancels an answer, and has it made again if it can", async () => {
      const { conversation } = await create("slowpoke");
      const { sId: messageId } = answerIn(conversation);
      const { sId: conversationId } = conversation;
      resultOf(await client.cancelMessageGeneration({ conversationId, messageIds: [messageId] }));
      expect(answerIn(await read(conversation)).status).toBe("cancelled");
      if (client.retryMessage === undefined) return;
      const again = resultOf(await client.retryMessage({ conversationId, messageId }));
      expect(again).toMatchObject({ type: "agent_message", version: 1 });
    });

    test("gives, reads and withdraws feedback", async () => {
      const { conversation } = await create("helper", { blocking: true });
      const { sId: conversationId } = conversation;
      const { sId: messageId } = answerIn(conversation);
      const said = { thumbDirection: "up", feedbackContent: null, isConversationShared: false };
      resultOf(await client.postFeedback(conversationId, messageId, said));
      const list = async () => resultOf(await client.getConversationFeedback({ conversationId }));
      expect(await list()).toMatchObject([{ messageId, thumbDirection: "up" }]);
      resultOf(await client.deleteFeedback(conversationId, messageId));
      expect(await list()).toEqual([]);
    });

    test("parses and suggests mentions if it can", async () => {
      const { parseForMentions, getMentionsSuggestions } = client;
      if (parseForMentions === undefined || getMentionsSuggestions === undefined) return;
      const markdown = "@helper, hello!";
      expect(resultOf(await client.parseForMentions!({ markdown }))).toContain("sId=helper");
      const { conversation } = await create("helper");
      for (const conversationId of [undefined, conversation.sId]) {
        const asked = { query: "help", select: ["agents", "users"], conversationId };
        const found = resultOf(await client.getMentionsSuggestions!(asked));
        expect(found.map(({ id }) => id)).toContain("helper");
      }
    });

    test("learns of the workspace, and creates a generic agent if it can", async () => {
      expect(resultOf(await client.getWorkspaceFeatureFlags())).toEqual([]);
      expect(resultOf(await client.getWorkspaceVerifiedDomains())).toEqual([]);
      expect(resultOf(await admin.getActiveMemberEmailsInWorkspace())).toEqual(expect.any(Array));
      // Not every version asks.
      const exists = await client.exists?.();
      expect([true, undefined]).toContain(exists && resultOf(exists));
      if (admin.createGenericAgentConfiguration === undefined) return;
      const described = { name: "Gen", description: "d", instructions: "i", subAgentName: "Sub" };
      const sub = { subAgentDescription: "d", subAgentInstructions: "i" };
      const created = await admin.createGenericAgentConfiguration({ ...described, ...sub });
      expect(resultOf(created)).toMatchObject({
        agentConfiguration: { name: "Gen" },
        subAgentConfiguration: { name: "Sub" },
      });
    });

    test("posts messages and fragments, and lists what there is", async () => {
      const { conversation } = await create("helper");
      const { sId: conversationId } = conversation;
      const message = messageTo("helper", "And now?");
      expect(resultOf(await client.postUserMessage({ conversationId, message })).content).toBe(
        "And now?",
      );
      const contentFragment = {
        title: "late",
        content: "Text",
        contentType: "text/plain",
        url: null,
        context: null,
      };
      const added = await client.postContentFragment({ conversationId, contentFragment });
      expect(resultOf(added).title).toBe("late");
      const conversations = resultOf(await client.getConversations());
      expect(conversations.map(({ sId }) => sId)).toContain(conversationId);
      const agents = resultOf(await client.getAgentConfigurations({ view: "all" }));
      expect(agents.map(({ sId }) => sId)).toEqual(expect.arrayContaining(["helper", agentId]));
      const spaces = resultOf(await client.getSpaces({ kinds: ["global"] }));
      expect(spaces.map(({ kind }) => kind)).toContain("global");
    });
  });
});
