import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine } from "@parley/command/print";
import { bold, dim, red, yellow } from "@parley/command/style";
import { callServer } from "../../connection/call-server.ts";
import type { Chat, Handled, WaitingCall } from "./chat-state.ts";
import { printText } from "./print-text.ts";

/** Leads to the page on which the user lets a tool's server be called; the answer continues by itself after it. */
export async function allowTool(
  { context: { io }, connection }: Chat,
  { metadata, authError }: WaitingCall<"tool_personal_auth_required">,
): Promise<Handled> {
  printText(io, "");
  printText(
    io,
    `${yellow(io, "?")} ${bold(io, oneLine(metadata.agentName))} waits: ${oneLine(authError.message)}`,
  );
  try {
    const toolId = metadata.mcpServerId;
    const start = connection.parley.toolAuthorizations.start({ toolId });
    const { authorization } = await callServer(start);
    const url = readPage(authorization.authorizationUrl);
    printLine(io, `Open ${url}`);
    printText(io, dim(io, "The answer continues once you allow it there; Ctrl-C cancels it"));
    const { default: open } = await import("open");
    // If there is no browser, the page can be opened elsewhere.
    await open(url).catch(() => {});
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printText(io, red(io, error.message));
  }
  return "done";
}

/** The URL of a page. Throws `CommandError` for one that a browser should not be given: other programs open it. */
function readPage(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href;
  throw new CommandError(
    "The tool's authorization server returned no page: allow it in parley console",
  );
}
