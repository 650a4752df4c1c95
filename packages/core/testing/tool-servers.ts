import type { ListedTools, ToolServerFailure, ToolServers } from "../src/tools/tool-servers.ts";

/** Servers in memory, by their URLs, for what core makes of their answers. */
export interface TestToolServers extends ToolServers {
  /** What each server lists, or fails with. */
  readonly answers: Map<string, ListedTools["tools"] | ToolServerFailure>;
  /** The headers of each request, in order. */
  readonly asked: Readonly<Record<string, string>>[];
}

/** The server whose authorization server issues tokens. */
export const OAUTH_URL = "https://oauth.test/mcp";

/** Creates servers that only list tools. */
export function createTestToolServers(): TestToolServers {
  const answers: TestToolServers["answers"] = new Map();
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
    asked,
    listTools: async ({ url, headers }) => {
      asked.push(headers);
      const answer = answers.get(url) ?? unknown;
      if ("type" in answer) return answer;
      return { type: "listed", server: { name: "shop", version: "1.0.0" }, tools: answer };
    },
    callTool: async () => unknown,
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
