/** Servers of connections with what lets Parley in: headers, and a token of its own or of a user. */
import { toolConnections } from "@parley/db";
import type { McpServer } from "@parley/mcp";
import type { RegisterTool } from "@parley/schema";
import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { lacksScope, requestScopes } from "./missing-scopes.ts";
import { dropPersonalToken, openPersonalToken, usableFor } from "./personal-tokens.ts";
import { isPersonal, isUnchanged, type StoredConnection } from "./tool-connections.ts";
import { openSecret, sealSecret } from "./tool-secrets.ts";
import { type ToolServerFailure, type ToolServices, unreachable } from "./tool-servers.ts";

const TOKEN_TIMEOUT_MS = 15_000;

type ServerProcess = Pick<Process, "database" | "now" | "onLateFailure"> &
  SecretServices &
  ToolServices;
type Connected = Pick<StoredConnection, "tool" | "connection">;

/** For whom a server is called. */
export interface CalledFor {
  /** Whose token it needs, if users allow its calls; null for nobody's. */
  readonly userId: number | null;
  readonly signal: AbortSignal;
}

interface OpenedServer {
  readonly server: McpServer;
  /** Forgets the token that the server has refused. Undefined if it has none. */
  readonly forget?: (isSecond: boolean) => Promise<void>;
  /** Asks its user for what the server says that the token lacks. Gives the failure of the call. */
  readonly widen?: (failure: ToolServerFailure) => Promise<ToolServerFailure>;
}

/**
 * Works with the server of a connection, and once more with another token if it refuses the first: what it
 * refuses it has not run. Throws `tool_unreachable` if its secrets cannot be opened, or there is no token.
 */
export async function useServer<T>(
  core: ServerProcess,
  stored: Connected,
  calledFor: CalledFor,
  work: (server: McpServer) => Promise<T | ToolServerFailure>,
): Promise<T | ToolServerFailure> {
  const first = await openServer(core, stored, calledFor);
  const answer = await work(first.server);
  if (lacksScope(answer)) return widen(first, answer);
  if (!isRefused(answer) || first.forget === undefined) return answer;
  await first.forget(false);
  const second = await openServer(core, stored, { ...calledFor, isAgain: true });
  const again = await work(second.server);
  if (lacksScope(again)) return widen(second, again);
  if (isRefused(again)) await second.forget?.(true);
  return again;
}

async function widen(
  { widen: ask }: OpenedServer,
  failure: ToolServerFailure,
): Promise<ToolServerFailure> {
  if (ask !== undefined) return ask(failure);
  const { scope = "" } = failure.authorization ?? {};
  const message = `${failure.message}: its token lacks the scope "${scope}" that the server needs`;
  return { ...failure, message };
}

/** Works with the server of a tool that is not stored yet. Throws `tool_unreachable` if no token is issued. */
export async function useNewServer<T>(
  core: ToolServices,
  { url, headers = {}, oauth }: Pick<RegisterTool, "url" | "headers" | "oauth">,
  signal: AbortSignal,
  work: (server: McpServer) => Promise<T>,
): Promise<T> {
  const { clientId, clientSecret, scope, grant } = oauth ?? {};
  const isMachine = clientId !== undefined && clientSecret !== undefined;
  if (grant === "authorization_code" || !isMachine) return work({ url, headers });
  const client = { clientId, clientSecret, ...(scope !== undefined && { scope }) };
  const { token } = await requestToken(core, url, client, signal);
  return work(withToken({ url, headers }, token));
}

function isRefused(answer: unknown): answer is ToolServerFailure {
  const { type, code } = answer as Partial<ToolServerFailure>;
  return type === "failed" && code === "unauthorized";
}

async function openServer(
  core: ServerProcess,
  stored: Connected,
  { userId, signal, isAgain = false }: CalledFor & { readonly isAgain?: boolean },
): Promise<OpenedServer> {
  const { tool, connection } = stored;
  const { url, headers: sealed } = connection;
  // Written by `sealHeaders`.
  const headers = (
    sealed === null ? {} : JSON.parse(openSecret(core, sealed, { tool, name: "headers" }))
  ) as Record<string, string>;
  const plain = { url, headers };
  if (!isPersonal(connection)) return openOwn(core, stored, { server: plain, signal, isAgain });
  // Some servers say to everybody what they offer.
  if (userId === null) return { server: plain };
  const held = await openPersonalToken(core, stored, { userId, signal });
  if (held === undefined) return { server: plain };
  return {
    server: withToken(plain, held.token),
    forget: (isSecond) => dropPersonalToken(core, { ...held, isEnded: isSecond }),
    widen: (failure) => requestScopes(core, stored, { failure, held }),
  };
}

/** The server with a token of Parley's own, if it has one. */
async function openOwn(
  core: ServerProcess,
  { tool, connection }: Connected,
  { server, signal, isAgain }: { server: McpServer; signal: AbortSignal; isAgain: boolean },
): Promise<OpenedServer> {
  const { oauth, clientSecret, token: stored, tokenUntil } = connection;
  if (oauth === null || clientSecret === null) return { server };
  const forget = () => keepToken(core, connection, { token: null, tokenUntil: 0 });
  if (!isAgain && stored !== null && tokenUntil > core.now()) {
    const token = openSecret(core, stored, { tool, name: "token" });
    return { server: withToken(server, token), forget };
  }
  const { clientId, scope } = oauth;
  const client = {
    clientId,
    clientSecret: openSecret(core, clientSecret, { tool, name: "oauth" }),
    ...(scope !== undefined && { scope }),
  };
  const { token, forMs } = await requestToken(core, server.url, client, signal);
  await keepToken(core, connection, {
    token: sealSecret(core, { tool, name: "token", text: token }),
    tokenUntil: core.now() + forMs,
  });
  return { server: withToken(server, token), forget };
}

async function keepToken(
  { database }: Pick<Process, "database">,
  connection: StoredConnection["connection"],
  token: Pick<StoredConnection["connection"], "token" | "tokenUntil">,
): Promise<void> {
  // Another server may have been set in the meantime: the token is none of its own.
  await database.db.update(toolConnections).set(token).where(isUnchanged(connection));
}

function withToken({ url, headers }: McpServer, token: string): McpServer {
  return { url, headers: { ...headers, Authorization: `Bearer ${token}` } };
}

async function requestToken(
  { toolServers }: ToolServices,
  url: string,
  client: { clientId: string; clientSecret: string; scope?: string },
  signal: AbortSignal,
): Promise<{ token: string; forMs: number }> {
  const limits = { timeoutMs: TOKEN_TIMEOUT_MS, signal };
  const issued = await toolServers.requestToken({ url }, client, limits);
  if (issued.type === "failed") throw unreachable(issued);
  return { token: issued.accessToken, forMs: usableFor(issued) };
}
