import { once } from "node:events";
import { connect, createServer } from "node:net";
import { type ProcessOptions, type RunningProcess, startProcess } from "./child-process.ts";

export interface ListeningOptions extends Omit<ProcessOptions, "arguments"> {
  /** Its arguments, for the port that it is to listen on. */
  readonly argumentsFor: (port: number) => Promise<readonly string[]> | readonly string[];
}

/** A process that listens on a port of this machine. */
export interface ListeningProcess extends RunningProcess {
  readonly port: number;
}

/** Starts a process on a free port. Resolves once it takes connections. */
export async function startListening(
  resources: AsyncDisposableStack,
  { argumentsFor, ...options }: ListeningOptions,
): Promise<ListeningProcess> {
  const port = await findFreePort();
  const started = startProcess(resources, { ...options, arguments: await argumentsFor(port) });
  await started.waitFor(async () => ((await listens(port)) ? true : undefined));
  return { ...started, port };
}

/** A port of this machine that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was free");
  return address.port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
