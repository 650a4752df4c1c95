import { expect } from "vitest";
import { awaitQuestion } from "../agent-calls/await-question.ts";
import { createFixtures, type Events, type Stage } from "./client-fixtures.ts";

// One call of each method of the published clients, with what has to come back.

/** What a method has answered: `works`, or the type of the error. */
export type Outcome = string;

/** Names an error as its reader finds it: by its type, code or class. */
export function nameError(error: unknown): Outcome {
  const { type, code, name } = Object(error) as Record<string, unknown>;
  return String(type ?? code ?? name ?? error);
}

/** What makes no request of its own: settings of the client, and parts of its other methods. */
export const local = new Set([
  "workspaceId",
  "setWorkspaceId",
  "apiUrl",
  "getApiKey",
  "baseHeaders",
  "request",
]);

/** Each method's call in a stage; it throws if the client or what it read is not right. */
export function createMethodCalls(stage: Stage): Readonly<Record<string, () => Promise<unknown>>> {
  const { server, version } = stage;
  const fixtures = createFixtures(stage);
  const { ask, high, calls, shop, helper, message, fragment, answered, blocked } = fixtures;
  const { dataSource, folder, upload, view, inSpace, untilEnd, space, app } = fixtures;
  const { register, reconnect, feedback } = fixtures;
  return {
    me: () => ask("me"),
    exists: () => ask("exists"),
    runApp: () => ask("runApp", app(), {}, [{}]),
    runAppStreamed: () => ask("runAppStreamed", app(), {}, [{}]),
    exportApps: () => ask("exportApps", { appSpaceId: space().spaceId }),
    checkApps: () => ask("checkApps", [], space().spaceId),
    tokenize: async () => ask("tokenize", "Hello", await dataSource()),
    getDataSources: () => ask("getDataSources"),
    getAgentConfigurations: () => ask("getAgentConfigurations", { view: "all" }),
    parseForMentions: () => ask("parseForMentions", { markdown: "@helper, hello!" }),
    getMentionsSuggestions: () =>
      ask("getMentionsSuggestions", { query: "help", select: ["agents", "users"] }),
    createGenericAgentConfiguration: () =>
      ask("createGenericAgentConfiguration", {
        name: `Generic ${version}`,
        description: "d",
        instructions: "i",
        emoji: "🤖",
        subAgentName: `Sub ${version}`,
        subAgentDescription: "d",
        subAgentInstructions: "i",
        subAgentEmoji: "🤖",
      }),
    createConversation: async () => {
      const created = await ask<{ conversation: { content: readonly unknown[] } }>(
        "createConversation",
        {
          title: null,
          visibility: "unlisted",
          message: message("Hello"),
          contentFragment: { ...fragment, url: null, context: null },
          blocking: true,
        },
      );
      expect(created.conversation.content).toHaveLength(3);
    },
    postContentFragment: async () => {
      const { conversationId } = await answered();
      const contentFragment = { ...fragment, url: null, context: null };
      return ask("postContentFragment", { conversationId, contentFragment });
    },
    postUserMessage: async () => {
      const { conversationId } = await answered();
      return ask("postUserMessage", { conversationId, message: message("And now?") });
    },
    postConversationTools: async () => {
      const { tool } = await shop.register({ url: stage.shopUrl() });
      const { conversationId } = await answered();
      const change = { conversationId, mcpServerViewId: tool.sId };
      await ask("postConversationTools", { ...change, action: "add" });
      return ask("postConversationTools", { ...change, action: "delete" });
    },
    waitForAgentMessage: async () => {
      const { conversation, message: asked } = await calls.create("Hello", ["helper"]);
      return ask("waitForAgentMessage", { conversation, parentUserMessageId: asked.sId });
    },
    streamAgentAnswerEvents: async () => {
      const { conversation, message: asked } = await calls.create("Hello", ["helper"]);
      const of = { conversation, userMessageId: asked.sId };
      return untilEnd(await ask("streamAgentAnswerEvents", of));
    },
    streamAgentMessageEvents: async () => {
      const { conversation, conversationId, messageId: agentMessageId } = await answered();
      // Versions before 1.2 take the conversation and the message themselves.
      const before = { conversation, agentMessage: { sId: agentMessageId } };
      const of = { conversationId, agentMessageId, options: reconnect };
      return untilEnd(await ask("streamAgentMessageEvents", { ...before, ...of }));
    },
    streamConversationEvents: async () => {
      const { conversationId } = await answered();
      const stop = new AbortController();
      const of = { conversationId, signal: stop.signal, options: reconnect };
      const { eventStream } = await ask<Events>("streamConversationEvents", of);
      for await (const { type } of eventStream) {
        expect(type).toBe("user_message_new");
        break;
      }
      stop.abort();
    },
    cancelMessageGeneration: async () => {
      const { conversation } = await calls.create("Hello", ["slowpoke"]);
      const messageIds = [conversation.content.at(-1)!.at(-1)!.sId];
      return ask("cancelMessageGeneration", { conversationId: conversation.sId, messageIds });
    },
    retryMessage: async () => ask("retryMessage", await answered()),
    markAsRead: async () => ask("markAsRead", await answered()),
    getConversations: async () => {
      await helper();
      return ask("getConversations");
    },
    getConversation: async () => ask("getConversation", await blocked()),
    getConversationFeedback: async () => ask("getConversationFeedback", await answered()),
    postFeedback: async () => {
      const { conversationId, messageId } = await answered();
      return ask("postFeedback", conversationId, messageId, feedback);
    },
    deleteFeedback: async () => {
      const { conversationId, messageId } = await answered();
      await ask("postFeedback", conversationId, messageId, feedback);
      return ask("deleteFeedback", conversationId, messageId);
    },
    getSpaceConversationsForDataSource: async () => {
      const { spaceId } = space();
      await calls.create("Hello", ["helper"], { spaceId, contentFragments: [fragment] });
      return ask("getSpaceConversationsForDataSource", { spaceId, updatedSince: 1 });
    },
    getSpaceConversationIds: () => ask("getSpaceConversationIds", space()),
    getSpaceMetadata: () => ask("getSpaceMetadata", space()),
    getSpaceProjectFiles: () => ask("getSpaceProjectFiles", { ...space(), updatedSince: 1 }),
    upsertFolder: async () => ask("upsertFolder", await folder()),
    deleteFolder: async () => {
      const { dataSourceId, folderId, ...rest } = await folder();
      await ask("upsertFolder", { dataSourceId, folderId, ...rest });
      return ask("deleteFolder", { dataSourceId, folderId });
    },
    uploadFile: upload,
    downloadFile: async () => ask("downloadFile", { fileID: (await upload()).sId }),
    getFileContent: async () => ask("getFileContent", { fileId: (await upload()).sId }),
    deleteFile: async () => ask("deleteFile", { fileID: (await upload()).sId }),
    getActiveMemberEmailsInWorkspace: () => ask("getActiveMemberEmailsInWorkspace"),
    getWorkspaceVerifiedDomains: () => ask("getWorkspaceVerifiedDomains"),
    getWorkspaceFeatureFlags: () => ask("getWorkspaceFeatureFlags"),
    searchDataSourceViews: view,
    patchDataSourceView: async () => ask("patchDataSourceView", await view(), { parentsIn: ["a"] }),
    getSpaces: () => ask("getSpaces", { kinds: ["global"] }),
    getMCPServerViews: async () => {
      await shop.register({ url: stage.shopUrl() });
      return ask("getMCPServerViews", space().spaceId, true);
    },
    searchNodes: () => ask("searchNodes", inSpace()),
    searchUnified: async () => {
      const { eventStream } = await ask<Events>("searchUnified", inSpace());
      expect(await Array.fromAsync(eventStream)).toHaveLength(1);
    },
    getBlockedActions: async () => ask("getBlockedActions", await blocked()),
    validateAction: async () =>
      ask("validateAction", { ...(await blocked()), approved: "approved" }),
    answerUserQuestion: async () => {
      const { path, actionId } = await awaitQuestion(server);
      const [, conversationId, messageId] = /conversations\/(\w+)\/messages\/(\w+)\//.exec(path)!;
      const answer = { selectedOptions: [], customResponse: "Ada" };
      return ask("answerUserQuestion", { conversationId, messageId, actionId, answer });
    },
    registerMCPServer: register,
    heartbeatMCPServer: async () => ask("heartbeatMCPServer", await register()),
    postMCPResults: async () => {
      const result = { jsonrpc: "2.0", id: "1", result: { content: [] } };
      return ask("postMCPResults", { ...(await register()), requestId: "1", result });
    },
    getMCPRequestsConnectionDetails: async () => {
      const of = { ...(await register()), lastEventId: null };
      const { url, headers } = await ask<{ url: string; headers: Record<string, string> }>(
        "getMCPRequestsConnectionDetails",
        of,
      );
      const stop = new AbortController();
      const { status } = await fetch(url, { headers, signal: stop.signal });
      stop.abort();
      if (status !== 200) throw Object.assign(new Error(url), { type: `status ${status}` });
    },
    "agents.sendMessage": () =>
      high("agents", "sendMessage", { agentId: "helper", message: "Hello" }),
    "agents.streamMessage": async () => {
      const stream = await high<{ finalMessage(): Promise<{ text: string }> }>(
        "agents",
        "streamMessage",
        { agentId: "helper", message: "Hello" },
      );
      expect((await stream.finalMessage()).text).not.toBe("");
    },
    "conversations.create": () => high("conversations", "create", { title: "Empty" }),
    "conversations.get": async () =>
      high("conversations", "get", (await answered()).conversationId),
    "conversations.list": () => high("conversations", "list"),
    "files.upload": () => high("files", "upload", new File(["x"], "x.txt", { type: "text/plain" })),
    "files.download": async () => high("files", "download", (await upload()).sId),
    "files.delete": async () => high("files", "delete", (await upload()).sId),
  };
}
