import { parseArgs } from "node:util";
import { createRpcClient } from "parley-client";
import { callServer } from "./connection/call-server.ts";
import { CommandError } from "./command-error.ts";
import { readConsoleSettings, readSettings } from "./config.ts";
import { readDemoFile } from "./demo-file.ts";
import type { Print } from "./connection/server-command.ts";

/**
 * Opens the console in the browser, signed in once by a link. Without the variables that name a server, it is that
 * of the demo on this machine. Where there is no terminal, prints the link only.
 */
export async function openConsole(args: readonly string[], print: Print): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { url: { type: "string" } } });
  const { url, apiKey } = await findServer(values.url);
  const session = createRpcClient({ url, apiKey }).session;
  const { url: link } = await callServer(session.createCode.mutate({}));
  print(link);
  if (!process.stdout.isTTY) return;
  const { default: open } = await import("open");
  // Where there is no browser, the link can be opened elsewhere.
  await open(link).catch(() => {});
}

async function findServer(given: string | undefined): Promise<{ url: string; apiKey: string }> {
  const named = readConsoleSettings(given);
  if (named !== undefined) return named;
  const { url, adminKey: apiKey } = await readDemoFile(readSettings().PARLEY_DATA_DIR);
  if (url !== undefined && apiKey !== undefined) return { url, apiKey };
  throw new CommandError(
    "There is no demo here: name the server in PARLEY_URL, and a key of it in PARLEY_API_KEY",
  );
}
