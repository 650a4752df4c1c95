import { insertRow, type Queryable, toolConnections, tools } from "@parley/db";
import {
  type ConnectedTool,
  ParleyError,
  type NamedTool,
  type RegisterTool,
  type ToolServer,
  type UpdateToolConnection,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { requireSpace } from "../access/space-reach.ts";
import type { RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { threadOptions } from "../untrusted/threads.ts";
import { administeredWorkspace, editorOf } from "../workspaces/administered-workspace.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import {
  authorizationOf,
  prepareClient,
  removeAuthorizations,
  requirePersonalUse,
  requireSilent,
  useCaseOf,
} from "./connection-clients.ts";
import { useNewServer } from "./open-servers.ts";
import { askForTools, type Offer, refreshServer } from "./refresh-tools.ts";
import {
  insertCaller,
  renderConnection,
  selectConnections,
  type StoredConnection,
  updateCaller,
} from "./tool-connections.ts";
import { isReachedServer, lockServer } from "./tool-administration.ts";
import { type NewClient, sealClient, sealHeaders } from "./tool-secrets.ts";
import { type ToolServices, unreachable } from "./tool-servers.ts";
import { readTools } from "./tools.ts";

type ToolContext = RequestContext & SecretServices & ToolServices;

/**
 * Registers a remote server as a tool, with the tools that it offers. Throws `space_not_found`, and
 * `tool_unreachable` if the server does not say; nothing is stored then.
 */
export async function registerTool(
  context: ToolContext,
  input: RegisterTool,
): Promise<ConnectedTool> {
  const { caller, database, signal } = context;
  const found = await administeredWorkspace(context, database.db, input.wId);
  // Before the server is asked: a refused request reaches nobody.
  await requireSpace(database.db, caller, { workspaceId: found.id, sid: input.spaceId });
  const sid = context.newId("msv");
  requirePersonalUse(input);
  const client = await prepareClient(context, input);
  const sealed = {
    ...sealHeaders(context, { sid }, input.headers ?? {}),
    ...sealClient(context, { sid }, client),
  };
  const options = { ...threadOptions(context), signal };
  const answer = await useNewServer(context, input, signal, (server) =>
    askForTools(context, server, options),
  );
  const offer = "type" in answer ? requireSilent(input, answer) : answer;
  return inTransaction(context, async ({ db, markCreated }) => {
    const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
    const space = await requireSpace(db, caller, { workspaceId, sid: input.spaceId });
    const now = context.now();
    const tool = await insertRow(db, tools, {
      sid,
      workspaceId,
      spaceId: space.id,
      name: input.name ?? offer.name,
      description: input.description ?? offer.description,
      serverType: "remote",
      server: newServer(context.newId("mcp"), { offer, client }),
      oAuthUseCase: useCaseOf(client),
      isRestrictedToSkills: input.isRestrictedToSkills ?? false,
      editedBy: editorOf(caller),
      createdAt: now,
      updatedAt: now,
    });
    const functionId = await insertCaller(context, db, tool, input);
    await insertRow(db, toolConnections, {
      toolId: tool.id,
      functionId,
      url: input.url,
      ...sealed,
      stakes: input.stakes ?? {},
      defaultStake: input.defaultStake ?? "high",
      retryableTools: input.retryableTools ?? [],
      refreshedAt: now,
      fault: offer.fault,
    });
    markCreated(sid);
    return readConnected(context, db, { workspaceId, toolId: sid });
  });
}

function newServer(
  sId: string,
  { offer, client }: { readonly offer: Offer; readonly client: NewClient | undefined },
): ToolServer {
  const { fault: _fault, ttlMs: _ttlMs, ...offered } = offer;
  return {
    sId,
    ...offered,
    icon: "ActionCommandIcon",
    authorization: authorizationOf(client),
    availability: "manual",
    allowMultipleInstances: true,
    documentationUrl: "",
  };
}

/** Reads a remote tool with its connection. Throws `tool_not_found`, also for one that is only described. */
export async function getToolConnection(
  context: RequestContext,
  input: NamedTool,
): Promise<ConnectedTool> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  return readConnected(context, db, { workspaceId, toolId: input.toolId });
}

/**
 * Changes how the tools of a server are called: calls that begin later are made so. Throws
 * `tool_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function updateToolConnection(
  context: ToolContext,
  input: UpdateToolConnection,
): Promise<ConnectedTool> {
  const client = await prepareNewClient(context, input);
  return inTransaction(context, async ({ db }) => {
    const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
    const seen = await lockServer(context.caller, db, { workspaceId, input });
    const stored = await requireConnection(context, db, { workspaceId, toolId: input.toolId });
    await updateCaller(context, db, stored, input);
    const { url, headers, stakes, defaultStake, retryableTools } = input;
    // What was for another server is not sent to this one.
    const isOther = url !== undefined && url !== stored.connection.url;
    const sealed = {
      ...((headers || isOther) && sealHeaders(context, stored.tool, headers ?? {})),
      ...((client || isOther) && sealClient(context, stored.tool, client)),
    };
    if (client || isOther) await removeAuthorizations(db, seen.id);
    await db
      .update(toolConnections)
      .set({
        ...sealed,
        url: url ?? stored.connection.url,
        stakes: stakes ?? stored.connection.stakes,
        defaultStake: defaultStake ?? stored.connection.defaultStake,
        retryableTools: retryableTools ?? stored.connection.retryableTools,
      })
      .where(eq(toolConnections.toolId, seen.id));
    await db
      .update(tools)
      .set({
        version: seen.version + 1,
        ...((client || isOther) && {
          oAuthUseCase: useCaseOf(client),
          server: { ...stored.tool.server, authorization: authorizationOf(client) },
        }),
        editedBy: editorOf(context.caller),
        updatedAt: context.now(),
      })
      .where(eq(tools.id, seen.id));
    return readConnected(context, db, { workspaceId, toolId: input.toolId });
  });
}

/** The client of a change, which is prepared before its transaction. */
async function prepareNewClient(
  context: ToolContext,
  input: UpdateToolConnection,
): Promise<NewClient | undefined> {
  if (input.oauth === undefined) return undefined;
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  const stored = await requireConnection(context, db, { workspaceId, toolId: input.toolId });
  const { url = stored.connection.url, oauth } = input;
  return prepareClient(context, { url, oauth });
}

/**
 * Asks a server for its tools again; a change is a new version of the tool. Throws `tool_not_found` and
 * `tool_unreachable`.
 */
export async function refreshToolNow(
  context: ToolContext,
  input: NamedTool,
): Promise<ConnectedTool> {
  const { database, signal } = context;
  const { db } = database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  const stored = await requireConnection(context, db, { workspaceId, toolId: input.toolId });
  const userId = context.caller.kind === "workspace" ? context.caller.user.id : null;
  const offer = await refreshServer(context, stored, { ...threadOptions(context), userId, signal });
  if ("type" in offer) throw unreachable(offer);
  return readConnected(context, db, { workspaceId, toolId: input.toolId });
}

interface Named {
  readonly workspaceId: number;
  readonly toolId: string;
}

async function requireConnection(
  { caller }: RequestContext,
  db: Queryable,
  { workspaceId, toolId }: Named,
): Promise<StoredConnection> {
  const [stored] = await selectConnections(db).where(
    and(eq(tools.workspaceId, workspaceId), eq(tools.sid, toolId), isReachedServer(caller)),
  );
  if (stored !== undefined) return stored;
  const message = "toolId: the workspace has no such tool with a connection";
  throw new ParleyError("tool_not_found", message);
}

async function readConnected(
  context: RequestContext,
  db: Queryable,
  named: Named,
): Promise<ConnectedTool> {
  const stored = await requireConnection(context, db, named);
  const { id, version } = stored.tool;
  const tool = (await readTools(context, db, { workspaceId: named.workspaceId, ids: [id] })).get(
    id,
  );
  if (tool === undefined) throw new Error("The tool is not there");
  return { tool, version, connection: renderConnection(stored) };
}
