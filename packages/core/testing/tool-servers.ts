import {
  agentTools,
  conversations,
  conversationTools,
  insertRow,
  toolApprovals,
  toolAuthorizationRequests,
  toolAuthorizations,
  toolConnections,
  tools,
} from "@parley/db";
import type { ToolServer } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";
import {
  type ListedTools,
  noToolServers,
  type ToolServerFailure,
  type ToolServers,
} from "../src/tools/tool-servers.ts";

/** Servers in memory, by their URLs, for what core makes of their answers. */
export interface TestToolServers extends ToolServers {
  /** What each server lists, or fails with. */
  readonly answers: Map<string, ListedTools["tools"] | ToolServerFailure>;
  /** How long each says that its list holds. */
  readonly lifetimes: Map<string, number>;
  /** The headers of each request, in order. */
  readonly asked: Readonly<Record<string, string>>[];
}

/** The server whose authorization server issues tokens. */
export const OAUTH_URL = "https://oauth.test/mcp";

/** Creates servers that only list tools. */
export function createTestToolServers(): TestToolServers {
  const answers: TestToolServers["answers"] = new Map();
  const lifetimes = new Map<string, number>();
  const asked: Readonly<Record<string, string>>[] = [];
  const unknown: ToolServerFailure = {
    type: "failed",
    code: "unreachable",
    message: "The server does not answer",
  };
  /** How many tokens each secret was given. */
  const issued = new Map<string, number>();
  return {
    answers,
    lifetimes,
    asked,
    listTools: async ({ url, headers }) => {
      asked.push(headers);
      const answer = answers.get(url) ?? unknown;
      if ("type" in answer) return answer;
      const server = { name: "shop", version: "1.0.0" };
      return { type: "listed", server, tools: answer, ttlMs: lifetimes.get(url) };
    },
    callTool: async () => unknown,
    authorization: noToolServers.authorization,
    requestToken: async ({ url }, client) => {
      const tokens = issued.get(client.clientSecret) ?? 0;
      issued.set(client.clientSecret, tokens + 1);
      if (url !== OAUTH_URL) return unknown;
      return { type: "issued", accessToken: `token ${tokens + 1}`, expiresInMs: 60_000 };
    },
  };
}

/** A tool with one text as its input. */
export function testTool(name: string, description = "") {
  const properties = { text: { type: "string" } };
  const inputSchema = { type: "object", properties, required: ["text"] };
  return { name, description, inputSchema };
}

interface OfTool {
  readonly toolId: number;
  readonly userId: number;
  readonly agentId: number;
  /** A conversation that has the tool. */
  readonly cId: string;
}

/** Inserts a row that hangs on a tool into each table that may have one. */
export async function insertTestToolRows(
  { database: { db } }: Core,
  { toolId, userId, agentId, cId }: OfTool,
): Promise<void> {
  const connection = { toolId, functionId: 0, url: "", refreshedAt: 0 };
  await db.insert(toolConnections).values({ ...connection, defaultStake: "high" });
  const approval = { userId, toolId, toolName: "t", agentSid: "", createdAt: 0 };
  await db.insert(toolApprovals).values(approval);
  await db.insert(toolAuthorizations).values({ userId, toolId, tokenUntil: 0, createdAt: 0 });
  const started = { keyId: "", ciphertext: "" };
  await db.insert(toolAuthorizationRequests).values({
    sid: `tar_${toolId}`,
    stateHash: String(toolId),
    started,
    redirectUrl: "",
    userId,
    toolId,
    expiresAt: 0,
  });
  await db.insert(agentTools).values({ agentId, toolId, position: 0 });
  const [{ id: conversationId } = { id: 0 }] = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.sid, cId));
  await db.insert(conversationTools).values({ conversationId, toolId, createdAt: 0 });
}

/** Inserts a tool of which nothing is read, and gives its number. */
export async function insertTestTool(
  { database, newId }: Core,
  { workspaceId, spaceId }: { workspaceId: number; spaceId: number },
): Promise<number> {
  const { id } = await insertRow(database.db, tools, {
    sid: newId("msv"),
    workspaceId,
    spaceId,
    name: "t",
    description: "",
    serverType: "internal",
    // Nothing of it is read.
    server: {} as ToolServer,
    oAuthUseCase: "platform_actions",
    isRestrictedToSkills: false,
    createdAt: 0,
    updatedAt: 0,
  });
  return id;
}
