import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { findConnection, openServer } from "./tool-connections.ts";
import type { RemoteServer } from "./tool-servers.ts";

/**
 * The server of a tool with its headers, as they are now; undefined where the tool was removed. Throws
 * `tool_unreachable` where the headers cannot be decrypted.
 */
export async function openCallableServer(
  core: Pick<Process, "database"> & SecretServices,
  toolId: number,
): Promise<RemoteServer | undefined> {
  const stored = await findConnection(core.database.db, toolId);
  return stored && openServer(core, stored);
}
