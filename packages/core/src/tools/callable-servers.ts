import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { findConnection, openServer } from "./tool-connections.ts";
import type { RemoteServer } from "./tool-servers.ts";

/** What a call of a tool needs, as it is now. */
export interface CallableTool {
  readonly server: RemoteServer;
  /** Undefined where the server no longer lists the tool. */
  readonly inputSchema: Record<string, unknown> | undefined;
}

/**
 * Opens the server of a tool, for a call of this name; undefined where the tool was removed. Throws
 * `tool_unreachable` where its headers cannot be decrypted.
 */
export async function openCallableTool(
  core: Pick<Process, "database"> & SecretServices,
  { toolId, name }: { toolId: number; name: string },
): Promise<CallableTool | undefined> {
  const stored = await findConnection(core.database.db, toolId);
  if (stored === undefined) return undefined;
  const listed = stored.tool.server.tools.find((one) => one.name === name);
  return { server: openServer(core, stored), inputSchema: listed?.inputSchema };
}
