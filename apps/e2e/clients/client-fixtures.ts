import { expect } from "vitest";
import type { Server } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createShopAgents } from "../tools/shop-agent.ts";

// What the methods of published clients are called with.

type Method = (...args: readonly unknown[]) => unknown;
/** A client of any version: what its class has is found when it runs. */
export type AnyClient = Readonly<Record<string, Method>>;

/** Where the methods of one version are called. */
export interface Stage {
  readonly version: string;
  readonly client: AnyClient;
  readonly server: () => Server;
  readonly shopUrl: () => string;
}

interface Result {
  isErr(): boolean;
  readonly value?: unknown;
  readonly error?: unknown;
}

const isResult = (answer: unknown): answer is Result =>
  typeof answer === "object" && answer !== null && "isErr" in answer;

/** A stream of a client. */
export interface Events {
  readonly eventStream: AsyncIterable<{ readonly type: string }>;
}

/** Calls a client, and creates what its methods need each time. */
export function createFixtures(stage: Stage) {
  const { client, server, version } = stage;
  const calls = createCalls(server);
  const shop = createShopAgents(server);
  const wId = () => server().demo.workspaceId;
  // What comes back is read by the client's own schema first.
  const ask = async <T>(name: string, ...args: readonly unknown[]): Promise<T> => {
    const answer = await client[name]!.call(client, ...args);
    if (!isResult(answer)) return answer as T;
    if (answer.isErr()) throw answer.error;
    return answer.value as T;
  };
  const high = async <T>(part: string, name: string, ...args: readonly unknown[]): Promise<T> => {
    const methods = client[part] as unknown as AnyClient;
    return (await methods[name]!.call(methods, ...args)) as T;
  };
  const helper = () => calls.create("Hello", ["helper"], { blocking: true });
  const message = (content: string, agent = "helper") => ({
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
  const fragment = { title: "note", content: "x", contentType: "text/plain" };
  const answered = async () => {
    const { conversation } = await helper();
    const messageId = conversation.content.at(-1)!.at(-1)!.sId;
    return { conversation, conversationId: conversation.sId, messageId };
  };
  const blocked = async () => {
    const { tool } = await shop.register({ url: stage.shopUrl() });
    const agentId = await shop.createAgent(tool.sId, "shop__buy");
    const { conversation } = await calls.create("Buy", [agentId]);
    const conversationId = conversation.sId;
    const list = async () =>
      (
        await calls
          .rpc()
          .conversations.listBlockedActions.query({ wId: wId(), cId: conversationId })
      ).blockedActions[0]?.actionId;
    await expect.poll(list).toBeDefined();
    const messageId = conversation.content.at(-1)!.at(-1)!.sId;
    return { conversationId, messageId, actionId: await list() };
  };
  const dataSource = async () => {
    const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate({
      wId: wId(),
      spaceId: server().demo.spaceId,
      name: `Handbook ${crypto.randomUUID()}`,
    });
    return dataSourceView.dataSourceId;
  };
  const folder = async () => ({
    dataSourceId: await dataSource(),
    folderId: "shops",
    timestamp: 1_780_000_000_000,
    title: `Folder ${version}`,
    parentId: null,
    parents: ["shops"],
    mimeType: "application/vnd.dust.folder",
    sourceUrl: null,
    providerVisibility: null,
  });
  const upload = () =>
    ask<{ sId: string }>("uploadFile", {
      contentType: "text/plain",
      fileName: "hours.txt",
      fileSize: 16,
      useCase: "conversation",
      fileObject: new File(["We open at nine."], "hours.txt", { type: "text/plain" }),
    });
  const view = async (): Promise<unknown> => {
    const params = new URLSearchParams({
      dataSourceId: await dataSource(),
      vaultId: server().demo.spaceId,
      kind: "default",
    });
    const [found] = await ask<readonly unknown[]>("searchDataSourceViews", params);
    expect(found).toBeDefined();
    return found;
  };
  const search = { query: "folder", viewType: "all", limit: 10, includeDataSources: true };
  const inSpace = () => ({ ...search, spaceIds: [server().demo.spaceId] });
  const untilEnd = async (stream: Events) => {
    const types: string[] = [];
    for await (const { type } of stream.eventStream) types.push(type);
    expect(types.at(-1)).toBe("agent_message_success");
  };
  const space = () => ({ spaceId: server().demo.spaceId });
  const app = () => ({ workspaceId: wId(), appId: "a", appSpaceId: space().spaceId, appHash: "h" });
  // Clients of 1.0.50 choose the id, and read none from the answer.
  const register = async (): Promise<{ serverId: string }> => ({
    serverId: "mine",
    ...(await ask<object>("registerMCPServer", { serverId: "mine", serverName: "editor" })),
  });
  const reconnect = { maxReconnectAttempts: 1, reconnectDelay: 10, autoReconnect: false };
  const feedback = { thumbDirection: "up", feedbackContent: null, isConversationShared: false };
  return {
    ask,
    high,
    calls,
    shop,
    helper,
    message,
    fragment,
    answered,
    blocked,
    dataSource,
    folder,
    upload,
    view,
    inSpace,
    untilEnd,
    space,
    app,
    register,
    reconnect,
    feedback,
  };
}
