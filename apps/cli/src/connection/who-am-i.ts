import { printLine } from "@parley/command/print";
import type { Session } from "@parley/schema";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import type { Context } from "./context.ts";

/** Says which server commands call, and whose key they call it with. */
export async function whoAmI(context: Context, options: ServerOptions): Promise<void> {
  const { url, apiKey } = await findServer(context, options);
  const { session } = await callServer(context.connect({ url, apiKey }).rpc.session.get.query({}));
  printLine(
    context.io,
    options.json ? JSON.stringify({ url, session }) : `${url}: ${describeSession(session)}`,
  );
}

/** A key in words, as in `key demo admin, role admin, workspace Demo (DemoWork01)`. */
export function describeSession({ keyName, userName, role, workspace }: Session): string {
  const who = userName === null ? `key ${keyName}` : `token of ${userName}`;
  const where = workspace === null ? "" : `, workspace ${workspace.name} (${workspace.sId})`;
  return `${who}, role ${role}${where}`;
}
