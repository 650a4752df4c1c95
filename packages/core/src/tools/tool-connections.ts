/** The rows of connections, and the functions behind them: a call of a server is an invocation. */
import {
  insertRow,
  type Queryable,
  sandboxFunctions,
  sandboxFunctionVersions,
  toolConnections,
  tools,
} from "@parley/db";
import type { Stake, ToolConnection } from "@parley/schema";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { FunctionVersionRow, SandboxFunctionRow } from "../data-access/rows.ts";

export type ServerRow = typeof tools.$inferSelect;
export type ConnectionRow = typeof toolConnections.$inferSelect;

/** A tool with its connection and the function that calls its server. */
export interface StoredConnection {
  readonly tool: ServerRow;
  readonly connection: ConnectionRow;
  readonly caller: SandboxFunctionRow;
  readonly definition: FunctionVersionRow;
}

/** Bytes of the JSON of a result; files are stored apart from it. */
const MAX_RESULT_BYTES = 1_048_576;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_CONCURRENT = 20;

/** How calls of a server may run. */
export interface CallSettings {
  readonly timeoutMs?: number | undefined;
  readonly maxConcurrent?: number | undefined;
}

/** Inserts the function that calls a tool's server. Gives its number. */
export async function insertCaller(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  tool: ServerRow,
  settings: CallSettings,
): Promise<number> {
  const createdAt = core.now();
  const { id: functionId } = await insertRow(db, sandboxFunctions, {
    sid: core.newId("sfn"),
    workspaceId: tool.workspaceId,
    toolId: tool.id,
    // An id is not a slug, so no function of the workspace has it.
    slug: tool.sid,
    createdAt,
    updatedAt: createdAt,
  });
  await insertRow(db, sandboxFunctionVersions, {
    functionId,
    version: 1,
    description: "",
    program: { type: "mcp", toolId: tool.id },
    timeoutMs: settings.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxConcurrent: settings.maxConcurrent ?? DEFAULT_CONCURRENT,
    maxOutputBytes: MAX_RESULT_BYTES,
    retryable: false,
    createdAt,
  });
  return functionId;
}

/** Gives the function that calls a tool's server a new version. */
export async function updateCaller(
  core: Pick<Process, "now">,
  db: Queryable,
  { definition }: Pick<StoredConnection, "definition">,
  { timeoutMs, maxConcurrent }: CallSettings,
): Promise<void> {
  if (timeoutMs === undefined && maxConcurrent === undefined) return;
  const version = definition.version + 1;
  await insertRow(db, sandboxFunctionVersions, {
    ...definition,
    version,
    timeoutMs: timeoutMs ?? definition.timeoutMs,
    maxConcurrent: maxConcurrent ?? definition.maxConcurrent,
    createdAt: core.now(),
  });
  await db
    .update(sandboxFunctions)
    .set({ version, updatedAt: core.now() })
    .where(eq(sandboxFunctions.id, definition.functionId));
}

/** A query for tools with their connections. */
export function selectConnections(db: Queryable) {
  return db
    .select({
      tool: tools,
      connection: toolConnections,
      caller: sandboxFunctions,
      definition: sandboxFunctionVersions,
    })
    .from(toolConnections)
    .innerJoin(tools, eq(tools.id, toolConnections.toolId))
    .innerJoin(sandboxFunctions, eq(sandboxFunctions.id, toolConnections.functionId))
    .innerJoin(
      sandboxFunctionVersions,
      and(
        eq(sandboxFunctionVersions.functionId, sandboxFunctions.id),
        eq(sandboxFunctionVersions.version, sandboxFunctions.version),
      ),
    );
}

/** The connection of a tool; undefined if the tool is gone or only described. */
export async function findConnection(
  db: Queryable,
  toolId: number,
): Promise<StoredConnection | undefined> {
  const [row] = await selectConnections(db).where(eq(toolConnections.toolId, toolId));
  return row;
}

/**
 * The condition that the row is this connection still: its tool has got no other server, and no other client, since.
 */
export function isUnchanged(connection: ConnectionRow): SQL | undefined {
  const { toolId, url, oauth, authorizationServer: server } = connection;
  return and(
    eq(toolConnections.toolId, toolId),
    eq(toolConnections.url, url),
    oauth === null ? isNull(toolConnections.oauth) : eq(toolConnections.oauth, oauth),
    server === null
      ? isNull(toolConnections.authorizationServer)
      : eq(toolConnections.authorizationServer, server),
  );
}

/** Whether each user allows the calls of the server. */
export function isPersonal({ oauth }: Pick<ConnectionRow, "oauth">): boolean {
  return oauth?.grant === "authorization_code";
}

/** Who approves the calls of one of a server's tools. */
export function stakeOf(
  { stakes, defaultStake }: Pick<ConnectionRow, "stakes" | "defaultStake">,
  toolName: string,
): Stake {
  return Object.hasOwn(stakes, toolName) ? (stakes[toolName] ?? defaultStake) : defaultStake;
}

/** A connection as it is shown: without secrets. */
export function renderConnection({
  connection,
  definition,
}: Pick<StoredConnection, "connection" | "definition">): ToolConnection {
  const { url, headerNames, defaultStake, stakes } = connection;
  const { grant = "client_credentials", clientId = "", scope } = connection.oauth ?? {};
  const oauth = connection.oauth && { grant, clientId, ...(scope !== undefined && { scope }) };
  const { retryableTools, refreshedAt, fault } = connection;
  const { timeoutMs, maxConcurrent } = definition;
  return {
    url,
    headerNames,
    oauth,
    defaultStake,
    stakes,
    retryableTools,
    timeoutMs,
    maxConcurrent,
    refreshedAt,
    fault,
  };
}
