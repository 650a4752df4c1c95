/**
 * What calls start: functions of the workspace, and tools of servers. Their inputs are checked in threads, for which
 * no transaction waits.
 */
import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import type { Citation, Stake } from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ActionRow, MessageRow } from "../data-access/rows.ts";
import { checkInput, type CheckedInput } from "../functions/check-values.ts";
import type { InvocableFunction, SandboxFunction } from "../functions/sandbox-functions.ts";
import { type CalledServer, findCalledServer } from "../tools/called-servers.ts";
import type { CallOptions } from "../untrusted/threads.ts";

/** A tool of a server that is called. */
export interface CalledTool {
  /** The server's name for it. */
  readonly toolName: string;
  readonly inputSchema: Record<string, unknown>;
  readonly server: CalledServer;
}

/** A call of a step, as its model has made it. */
export type StepCall = {
  readonly id: string;
  /** The public id of its row, if that is known before it is written. */
  readonly actionId?: string | undefined;
  /** The slug of a function, or a tool's name in the turn. */
  readonly name: string;
  readonly params: Record<string, unknown>;
} & (
  | { readonly output?: undefined }
  // The worker has run it.
  | {
      readonly output: string;
      readonly isError: boolean;
      readonly durationMs: number;
      /** The parts of documents that it has found. */
      readonly citations?: readonly Citation[] | undefined;
    }
);

/** What a call starts, once it may, with its input checked. */
export interface PreparedCall {
  readonly sandboxFunction: InvocableFunction;
  readonly input: CheckedInput;
  readonly stake: Stake;
  /** Undefined for a function of the workspace. */
  readonly tool?: CalledTool | undefined;
}

type Services = Pick<Process, "threads" | "now"> & { readonly db: Queryable };

/** What the open calls of a step start; a call of what is not there is left out. */
export async function prepareCalls(
  { database: { db }, threads }: Process,
  {
    message: { workspaceId },
    tools: offered,
  }: {
    readonly message: Pick<MessageRow, "workspaceId">;
    readonly tools: readonly (CalledTool & { readonly name: string })[];
  },
  calls: readonly StepCall[],
): Promise<ReadonlyMap<StepCall, PreparedCall>> {
  const options = { workspaceId, origin: "run" } as const;
  const open = calls.filter(({ output }) => output === undefined);
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const slugs = open.flatMap(({ name }) => (tools.has(name) ? [] : name));
  const functions = await findFunctions(db, workspaceId, slugs);
  const prepared = new Map<StepCall, PreparedCall>();
  for (const call of open) {
    const { name, params } = call;
    const target = tools.get(name) ?? functions.get(name);
    if (target) prepared.set(call, await prepare({ threads }, { target, params }, options));
  }
  return prepared;
}

/** What a stored call starts, from what is there now; undefined if that is gone. */
export async function prepareStoredCall(
  services: Services,
  { mcpServerId, toolName, params }: Pick<ActionRow, "mcpServerId" | "toolName" | "params">,
  options: CallOptions,
): Promise<PreparedCall | undefined> {
  const { workspaceId } = options;
  const target =
    mcpServerId === null
      ? (await findFunctions(services.db, workspaceId, [toolName])).get(toolName)
      : await findTool(services, { workspaceId, mcpServerId, toolName });
  return target && prepare(services, { target, params }, options);
}

/** Why a call of what is not there has failed. */
export const describeGone = (name: string): string => `The function ${name} no longer exists`;

async function prepare(
  services: Pick<Services, "threads">,
  { target, params }: { target: CalledTool | SandboxFunction; params: unknown },
  options: CallOptions,
): Promise<PreparedCall> {
  if ("definition" in target) {
    const { definition } = target;
    const input = await checkInput(services, { definition, input: params }, options);
    const stake = definition.requiresApproval ? "high" : "never_ask";
    return { sandboxFunction: target, input, stake };
  }
  const { server, toolName, inputSchema } = target;
  const definition = { inputSchema };
  const checked = await checkInput(services, { definition, input: params }, options);
  const named = JSON.stringify({ ...server.address, name: toolName });
  return {
    sandboxFunction: server.functionOf(toolName),
    // The JSON of the parameters stays as it is.
    input: { ...checked, json: `${named.slice(0, -1)},"arguments":${checked.json}}` },
    stake: server.stakeOf(toolName),
    tool: target,
  };
}

/** The active ones among a workspace's functions, in their current versions, by slug. */
async function findFunctions(
  db: Queryable,
  workspaceId: number,
  slugs: readonly string[],
): Promise<Map<string, SandboxFunction>> {
  if (slugs.length === 0) return new Map();
  const rows = await db
    .select({ identity: sandboxFunctions, definition: sandboxFunctionVersions })
    .from(sandboxFunctions)
    .innerJoin(
      sandboxFunctionVersions,
      and(
        eq(sandboxFunctionVersions.functionId, sandboxFunctions.id),
        eq(sandboxFunctionVersions.version, sandboxFunctions.version),
      ),
    )
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspaceId),
        eq(sandboxFunctions.status, "active"),
        inArray(sandboxFunctions.slug, [...new Set(slugs)]),
      ),
    );
  return new Map(
    rows.map(({ identity, definition }) => [identity.slug, { ...identity, definition }]),
  );
}

/** The tool that a stored call calls; undefined if the server or its tool is gone. */
async function findTool(
  services: Pick<Services, "db" | "now">,
  { toolName, ...named }: { workspaceId: number; mcpServerId: string; toolName: string },
): Promise<CalledTool | undefined> {
  const server = await findCalledServer(services, named);
  const described = server?.offered.find(({ name }) => name === toolName);
  return server && described && { server, toolName, inputSchema: described.inputSchema };
}
