import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from "@parley/mcp/testing-authorization";
import { afterAll, beforeAll } from "vitest";
import * as z from "zod";

type AuthorizationOptions = Omit<
  NonNullable<Parameters<typeof startAuthorizationServer>[0]>,
  "protects"
>;

/** A real MCP server that lets in those alone whom its authorization server has let in. */
export interface AccountServer extends TestAuthorizationServer {
  /** For which accounts its tool was called, in order. */
  readonly calls: readonly string[];
}

/** Starts such a server for the tests of a file, and stops it after them. */
export function shareAccounts(options: AuthorizationOptions = {}): () => AccountServer {
  let server: AccountServer | undefined;
  beforeAll(async () => {
    server = await startAccountServer(options);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  return () => {
    if (server === undefined) throw new Error("The server has not started");
    return server;
  };
}

/** Starts such a server on loopback. */
export async function startAccountServer(
  options: AuthorizationOptions = {},
): Promise<AccountServer> {
  const calls: string[] = [];
  const listenFor = (account: string): RequestListener => {
    const answer = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: "accounts", version: "1.0.0" });
        const inputSchema = z.object({ word: z.string() });
        server.registerTool(
          "whoami",
          { description: "Says whose it is", inputSchema },
          async () => {
            calls.push(account);
            return { content: [{ type: "text", text: `You are ${account}` }] };
          },
        );
        return server;
      }),
    );
    // It has all of that; only its optional members are typed otherwise.
    return (request, response) => void answer(request as Parameters<typeof answer>[0], response);
  };
  const server = await startAuthorizationServer({
    ...options,
    protects: (account, request, response) => listenFor(account)(request, response),
  });
  return Object.assign(server, { calls });
}
