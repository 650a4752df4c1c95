import { printLine } from "@parley/command/print";
import { callServer } from "./call-server.ts";
import { findServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import type { Context } from "./context.ts";

/**
 * Opens the console in the browser, signed in once by a link. If there is no terminal, prints the link
 * only.
 */
export async function openConsole(context: Context, options: ServerOptions): Promise<void> {
  const { io } = context;
  const server = await findServer(context, options);
  const created = await callServer(context.connect(server).rpc.session.createCode.mutate({}));
  printLine(io, options.json ? JSON.stringify(created) : created.url);
  if (!io.isTerminal.stdout) return;
  const { default: open } = await import("open");
  // If there is no browser, the link can be opened elsewhere.
  await open(created.url).catch(() => {});
}
