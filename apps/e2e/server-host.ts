// Runs the servers of a test worker's suites, each on a database of its own, in one process that has
// loaded the code once. `hosted-servers.ts` is the other side of its channel.
import { loggerOptions, readSettings, serve } from "@parley/server";
import { pino } from "pino";
import { readVersion } from "../cli/src/read-version.ts";
import type { HostAnswer, HostRequest } from "./hosted-servers.ts";

/** The servers that run, by the id that the channel gives them. */
const running = new Map<number, { close(): Promise<void> }>();

const answer = (message: HostAnswer): void => void process.send?.(message);

async function run(request: HostRequest): Promise<void> {
  const { id } = request;
  if (request.settings === undefined) return running.get(id)?.close();
  const settings = readSettings(request.settings);
  const write = (text: string): void => answer({ id, logged: text });
  const logger = pino(loggerOptions(settings.PARLEY_LOG_LEVEL), { write });
  const parts = { api: true, worker: true };
  const output = { print: () => {}, isTerminal: false };
  running.set(
    id,
    await serve({
      readVersion,
      settings,
      logger,
      parts,
      demo: true,
      embedded: undefined,
      ...output,
    }),
  );
}

process.umask(0o077);
process.on("message", (request: HostRequest) => {
  run(request).then(
    () => answer({ id: request.id, done: true }),
    (error: unknown) => answer({ id: request.id, error: String((error as Error).stack ?? error) }),
  );
});
process.once("disconnect", () => process.exit());
