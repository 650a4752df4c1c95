/** The secrets of connections: headers, Parley's secret as a client, and the tokens issued to it. */
import { toolConnections } from "@parley/db";
import { invalidRequest, ParleyError, type RegisterTool } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { EncryptedSecret, SecretServices } from "../workspaces/secret-box.ts";
import type { ConnectionRow, StoredConnection, ToolRow } from "./tool-connections.ts";
import { type RemoteServer, type ToolServices, unreachable } from "./tool-servers.ts";

const TOKEN_TIMEOUT_MS = 15_000;
/** Tokens are not used until the moment of their end. */
const TOKEN_SLACK_MS = 30_000;
/** How long a token is used whose end is not known. */
const UNKNOWN_TOKEN_MS = 5 * 60 * 1000;

type SecretProcess = Pick<Process, "database" | "now"> & SecretServices & ToolServices;
type Sealed = Pick<ConnectionRow, "headers" | "headerNames">;
type SealedClient = Pick<ConnectionRow, "oauth" | "clientSecret" | "token" | "tokenUntil">;

/** Encrypts the headers of a tool; null for none. Throws `invalid_request_error` without a key to do so. */
export function sealHeaders(
  services: SecretServices,
  tool: Pick<ToolRow, "sid">,
  headers: Readonly<Record<string, string>>,
): Sealed {
  const headerNames = Object.keys(headers);
  if (headerNames.length === 0) return { headers: null, headerNames };
  const text = JSON.stringify(headers);
  return { headers: seal(services, { tool, name: "headers", text }), headerNames };
}

/** Encrypts what Parley is at an authorization server, without a token yet; null for nothing. */
export function sealClient(
  services: SecretServices,
  tool: Pick<ToolRow, "sid">,
  client: RegisterTool["oauth"],
): SealedClient {
  const noToken = { token: null, tokenUntil: 0 };
  if (client === undefined) return { oauth: null, clientSecret: null, ...noToken };
  const { clientId, clientSecret, scope } = client;
  return {
    oauth: { clientId, ...(scope !== undefined && { scope }) },
    clientSecret: seal(services, { tool, name: "oauth", text: clientSecret }),
    ...noToken,
  };
}

interface Named {
  readonly tool: Pick<ToolRow, "sid">;
  readonly name: "headers" | "oauth" | "token";
}

/** A secret that is copied to another row, or to another column, cannot be decrypted there. */
const placeOf = ({ tool, name }: Named): string => `${tool.sid}/${name}`;

function seal(
  { secretBox }: SecretServices,
  { text, ...named }: Named & { readonly text: string },
): EncryptedSecret {
  if (secretBox !== undefined) return secretBox.encrypt(text, placeOf(named));
  const message = "the server keeps no secrets: its PARLEY_ENCRYPTION_KEY is not set";
  throw invalidRequest("body", [{ path: named.name, message }]);
}

function open({ secretBox }: SecretServices, stored: EncryptedSecret, named: Named): string {
  try {
    if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
    return secretBox.decrypt(stored, placeOf(named));
  } catch (cause) {
    const message = "The secrets of the tool cannot be decrypted by this server's keys";
    throw new ParleyError("tool_unreachable", message, { cause });
  }
}

/**
 * The server of a connection, with its headers and a token where it needs one. Throws `tool_unreachable` where
 * these cannot be opened, or no token is issued.
 */
export async function openServer(
  core: SecretProcess,
  { tool, connection }: Pick<StoredConnection, "tool" | "connection">,
  signal: AbortSignal,
): Promise<RemoteServer> {
  const { url, headers: sealed, oauth, clientSecret } = connection;
  // Written by `sealHeaders`.
  const headers = (
    sealed === null ? {} : JSON.parse(open(core, sealed, { tool, name: "headers" }))
  ) as Record<string, string>;
  if (oauth === null || clientSecret === null) return { url, headers };
  if (connection.token !== null && connection.tokenUntil > core.now()) {
    const token = open(core, connection.token, { tool, name: "token" });
    return withToken({ url, headers }, token);
  }
  const secret = open(core, clientSecret, { tool, name: "oauth" });
  const { token, forMs } = await requestToken(
    core,
    url,
    { scope: undefined, ...oauth, clientSecret: secret },
    signal,
  );
  const stored = {
    token: seal(core, { tool, name: "token", text: token }),
    tokenUntil: core.now() + forMs,
  };
  await core.database.db
    .update(toolConnections)
    .set(stored)
    .where(eq(toolConnections.toolId, tool.id));
  return withToken({ url, headers }, token);
}

/** The server of a tool that is not stored yet. Throws `tool_unreachable` where no token is issued. */
export async function openNewServer(
  core: ToolServices,
  { url, headers = {}, oauth }: Pick<RegisterTool, "url" | "headers" | "oauth">,
  signal: AbortSignal,
): Promise<RemoteServer> {
  if (oauth === undefined) return { url, headers };
  const { token } = await requestToken(core, url, oauth, signal);
  return withToken({ url, headers }, token);
}

/** Forgets the token of a tool, which its server has refused: the next call asks for another. */
export async function forgetToken(
  { database }: Pick<Process, "database">,
  toolId: number,
): Promise<void> {
  await database.db
    .update(toolConnections)
    .set({ token: null, tokenUntil: 0 })
    .where(eq(toolConnections.toolId, toolId));
}

function withToken({ url, headers }: RemoteServer, token: string): RemoteServer {
  return { url, headers: { ...headers, Authorization: `Bearer ${token}` } };
}

async function requestToken(
  { toolServers }: ToolServices,
  url: string,
  { clientId, clientSecret, scope }: NonNullable<RegisterTool["oauth"]>,
  signal: AbortSignal,
): Promise<{ token: string; forMs: number }> {
  const client = { clientId, clientSecret, ...(scope !== undefined && { scope }) };
  const limits = { timeoutMs: TOKEN_TIMEOUT_MS, signal };
  const issued = await toolServers.requestToken({ url }, client, limits);
  if (issued.type === "failed") throw unreachable(issued);
  const { accessToken: token, expiresInMs = UNKNOWN_TOKEN_MS + TOKEN_SLACK_MS } = issued;
  return { token, forMs: Math.max(0, expiresInMs - TOKEN_SLACK_MS) };
}
