import { clearScreenDown, cursorTo } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { printLine } from "@parley/command/print";
import { type Probe, probeServer } from "@parley/command/probe-server";
import { yellow } from "@parley/command/style";
import type { Overview, Session } from "@parley/schema";
import { callServer } from "./call-server.ts";
import { findServer, type NamedServer } from "./find-server.ts";
import type { ServerOptions } from "./server-options.ts";
import { describeSession } from "./who-am-i.ts";
import type { Context } from "./context.ts";

/** How long the server may take to say whether it is ready. */
const READY_MS = 5000;
/** How often the state is read again if it is watched. */
const WATCH_MS = 2000;

interface StatusOptions extends ServerOptions {
  readonly watch?: true;
}

/** What a server is, and what happens there. */
interface Status {
  readonly url: string;
  readonly ready: { readonly isReady: boolean; readonly reason: string | null };
  readonly versions: { readonly server: string | null; readonly parley: string };
  readonly session: Session;
  readonly overview: Overview | null;
}

/**
 * Says whether a server is ready, its version, whose key commands use, and what happens now and happened in the
 * last hour. Throws `CommandError` if the server is not ready.
 */
export async function showStatus(context: Context, options: StatusOptions): Promise<void> {
  const server = await findServer(context, options);
  const status = await readStatus(context, server);
  print(context, status, options);
  if (options.watch) return watch(context, server, options);
  const { isReady, reason } = status.ready;
  if (!isReady) throw new CommandError(`The server is not ready: ${reason} (see its log)`);
}

/** Until Ctrl-C; a server that does not answer in the meantime is waited for. */
async function watch(
  context: Context,
  server: NamedServer,
  options: StatusOptions,
): Promise<never> {
  const { io } = context;
  for (;;) {
    await pause(WATCH_MS);
    const status = await readStatus(context, server).catch((error: unknown) => error as Error);
    if (!(status instanceof Error)) print(context, status, options);
    else if (status instanceof CommandError) {
      const { message } = status;
      if (options.json) printLine(io, JSON.stringify({ url: server.url, error: message }));
      else drawAgain(io, [label("server", yellow(io, `${server.url}: ${message}`))], options);
    } else throw status;
  }
}

function print({ io }: Context, status: Status, options: StatusOptions): void {
  if (options.json) printLine(io, JSON.stringify(status));
  else drawAgain(io, describeStatus(io, status), options);
}

/** In place where a terminal is watched, else below. */
function drawAgain(io: Io, lines: readonly string[], { watch: isWatched }: StatusOptions): void {
  if (isWatched && io.isTerminal.stdout) {
    cursorTo(io.stdout, 0, 0);
    clearScreenDown(io.stdout);
  }
  for (const line of lines) printLine(io, line);
}

async function readStatus(
  context: Context,
  { url, apiKey, workspaceId }: NamedServer,
): Promise<Status> {
  const probe = await callServer(probeServer(url, READY_MS));
  const { rpc } = context.connect({ url, apiKey });
  const { session } = await callServer(rpc.session.get.query({}));
  const wId = workspaceId ?? session.workspace?.sId;
  const overview = mayReadOverview(session)
    ? await callServer(
        wId === undefined ? rpc.overview.getServer.query({}) : rpc.overview.get.query({ wId }),
      )
    : null;
  const versions = { server: probe.version ?? null, parley: context.readVersion() };
  return { url, ready: readinessOf(probe), versions, session, overview };
}

const mayReadOverview = ({ role }: Session): boolean => role !== "user";

const readinessOf = ({ isReady, details }: Probe): Status["ready"] => ({
  isReady,
  reason: isReady ? (details ?? null) : (details ?? "no reason given"),
});

const decapitalize = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const label = (name: string, text: string): string => name.padEnd(10) + text;

function describeStatus(io: Io, { url, ready, versions, session, overview }: Status): string[] {
  const { isReady, reason } = ready;
  const details = reason === null ? "" : `, ${isReady ? `but ${decapitalize(reason)}` : reason}`;
  return [
    label("server", `${url}: ${isReady ? "ready" : "not ready"}${details}`),
    ...describeVersions(io, versions),
    label("key", describeSession(session)),
    ...(overview === null ? [] : describeOverview(overview)),
  ];
}

function describeVersions(io: Io, { server, parley }: Status["versions"]): string[] {
  if (server === null || server === parley) return [label("version", parley)];
  return [
    label("versions", yellow(io, `server ${server}, this command ${parley}`)),
    label("", yellow(io, `install parley-server@${server} here, or upgrade the server`)),
  ];
}

function describeOverview({ now, series }: Overview): string[] {
  const sum = (name: keyof Overview["series"]): number =>
    series[name].reduce((total, value) => total + value, 0);
  const oldest =
    now.oldestWaitingMs === null ? "" : ` (oldest ${Math.round(now.oldestWaitingMs / 1000)} s)`;
  return [
    label("queue", `${now.waitingRuns} queued${oldest}, ${now.runningRuns} running`),
    label("streams", `${now.openStreams} open`),
    label("last hour", `${sum("conversations")} conversations`),
    label("", `${sum("turns")} turns, ${sum("turnsErrored")} failed`),
    label("", `${sum("invocations")} invocations, ${sum("invocationsErrored")} failed`),
    label(
      "",
      `${sum("inputTokens")} tokens in (${sum("cachedInputTokens")} cached), ${sum("outputTokens")} out`,
    ),
  ];
}
