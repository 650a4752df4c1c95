import type { ClientProgram, McpProgram } from "@parley/schema";
import type { Process } from "../context.ts";
import type { HeldLog } from "../runs/leases.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { readCallingUser } from "./calling-user.ts";
import { callClientTool } from "./client-calls.ts";
import { findConnection, isPersonal } from "./tool-connections.ts";
import { useServer } from "./open-servers.ts";
import type {
  ToolCallOptions,
  ToolResult,
  ToolServerFailure,
  ToolServices,
} from "./tool-servers.ts";

/** The input of an invocation that calls a tool. */
export interface ToolCallInput {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  /** The server in a client. */
  readonly serverId?: string;
}

/** A tool that can be called as it is now. */
export type CallableTool = (options: ToolCallOptions) => Promise<ToolResult | ToolServerFailure>;

/**
 * Opens the server of a call; undefined if the tool was removed. Throws `tool_unreachable` if its
 * secrets cannot be decrypted, or no token is issued.
 */
export async function openCallableTool(
  core: Process & SecretServices & ToolServices,
  {
    program,
    input,
    run,
    traceparent,
    signal,
  }: {
    program: McpProgram | ClientProgram;
    input: ToolCallInput;
    run: HeldLog;
    traceparent: string | undefined;
    signal: AbortSignal;
  },
): Promise<CallableTool | undefined> {
  const { serverId = "", ...asked } = input;
  const call = { ...asked, traceparent };
  if (program.type === "client") {
    return (options) => callClientTool(core, { serverId, run, call }, options);
  }
  const stored = await findConnection(core.database.db, program.toolId);
  if (stored === undefined) return undefined;
  const listed = stored.tool.server.tools.find((one) => one.name === call.name);
  const { inputSchema } = listed ?? {};
  const given = { ...call, ...(inputSchema && { inputSchema }) };
  const userId = isPersonal(stored.connection) ? await readCallingUser(core, run.logId) : null;
  return (options) =>
    useServer(core, stored, { userId, signal }, (server) =>
      core.toolServers.callTool(server, given, options),
    );
}
