/** What the calls of a step start: functions of the workspace, and tools of servers. */
import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import type { Stake } from "@parley/schema";
import { and, eq, inArray } from "drizzle-orm";
import type { Process } from "../context.ts";
import { checkInput, type CheckedInput } from "../functions/check-values.ts";
import type { InvocableFunction, SandboxFunction } from "../functions/sandbox-functions.ts";
import { type CalledServer, findCalledServer } from "../tools/called-servers.ts";
import type { CallOptions, Threads } from "../untrusted/threads.ts";

/** A tool of a server that is called. */
export interface CalledTool {
  /** The server's name for it. */
  readonly toolName: string;
  readonly inputSchema: Record<string, unknown>;
  readonly server: CalledServer;
}

/** What a call starts, once it may. */
export interface Called {
  readonly sandboxFunction: InvocableFunction;
  readonly input: CheckedInput;
  readonly stake: Stake;
  /** Undefined for a function of the workspace. */
  readonly tool?: CalledTool | undefined;
}

interface CheckServices {
  readonly threads: Threads;
}

/** A call of a function, with its input checked. Waits for a thread: not for a transaction. */
export async function callFunction(
  services: CheckServices,
  { sandboxFunction, params }: { sandboxFunction: SandboxFunction; params: unknown },
  options: CallOptions,
): Promise<Called> {
  const { definition } = sandboxFunction;
  const input = await checkInput(services, { definition, input: params }, options);
  return { sandboxFunction, input, stake: definition.requiresApproval ? "high" : "never_ask" };
}

/** A call of a server's tool, with its parameters checked. Waits for a thread: not for a transaction. */
export async function callTool(
  services: CheckServices,
  { tool, params }: { tool: CalledTool; params: unknown },
  options: CallOptions,
): Promise<Called> {
  const { server, toolName, inputSchema } = tool;
  const checked = await checkInput(
    services,
    { definition: { inputSchema }, input: params },
    options,
  );
  const named = JSON.stringify({ ...server.address, name: toolName });
  return {
    sandboxFunction: server.functionOf(toolName),
    // The JSON of the parameters stays as it is.
    input: { ...checked, json: `${named.slice(0, -1)},"arguments":${checked.json}}` },
    stake: server.stakeOf(toolName),
    tool,
  };
}

/** A call as it is stored. */
interface StoredCall {
  readonly mcpServerId: string | null;
  readonly toolName: string;
  readonly params: unknown;
}

/** What a stored call starts, from what is there now; undefined where that is gone. */
export async function findCalled(
  core: CheckServices & Pick<Process, "now"> & { readonly db: Queryable },
  { mcpServerId, toolName, params }: StoredCall,
  options: CallOptions,
): Promise<Called | undefined> {
  const { workspaceId } = options;
  if (mcpServerId !== null) {
    const tool = await findCalledTool(core, { workspaceId, mcpServerId, toolName });
    return tool && callTool(core, { tool, params }, options);
  }
  const functions = await findCalledFunctions(core.db, workspaceId, [toolName]);
  const sandboxFunction = functions.get(toolName);
  return sandboxFunction && callFunction(core, { sandboxFunction, params }, options);
}

/** The active ones among a workspace's functions, in their current versions, by slug. */
export async function findCalledFunctions(
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

/** The tool that a stored call calls; undefined where the server or its tool is gone. */
async function findCalledTool(
  core: Pick<Process, "now"> & { readonly db: Queryable },
  { toolName, ...named }: { workspaceId: number; mcpServerId: string; toolName: string },
): Promise<CalledTool | undefined> {
  const server = await findCalledServer(core, named);
  const described = server?.offered.find(({ name }) => name === toolName);
  return server && described && { server, toolName, inputSchema: described.inputSchema };
}
