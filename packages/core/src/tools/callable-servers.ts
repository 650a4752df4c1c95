import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { findConnection } from "./tool-connections.ts";
import { openServer } from "./tool-secrets.ts";
import type { RemoteServer, ToolServices } from "./tool-servers.ts";

/** What a call of a tool needs, as it is now. */
export interface CallableTool {
  readonly server: RemoteServer;
  /** Undefined where the server no longer lists the tool. */
  readonly inputSchema: Record<string, unknown> | undefined;
}

/**
 * Opens the server of a tool, for a call of this name; undefined where the tool was removed. Throws
 * `tool_unreachable` where its secrets cannot be decrypted, or no token is issued.
 */
export async function openCallableTool(
  core: Pick<Process, "database" | "now"> & SecretServices & ToolServices,
  { toolId, name, signal }: { toolId: number; name: string; signal: AbortSignal },
): Promise<CallableTool | undefined> {
  const stored = await findConnection(core.database.db, toolId);
  if (stored === undefined) return undefined;
  const listed = stored.tool.server.tools.find((one) => one.name === name);
  return { server: await openServer(core, stored, signal), inputSchema: listed?.inputSchema };
}
