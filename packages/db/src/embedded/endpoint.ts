import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Account } from "./run-program.ts";
import { DirectoryUnusable } from "../lock.ts";
import { ROLE } from "./cluster.ts";

/** How PostgreSQL is reached. */
export interface Endpoint extends AsyncDisposable {
  /** A folder that only the account of PostgreSQL can enter. */
  readonly folder: string;
  /** Path of the socket, or the port. */
  readonly at: string | number;
  /** Makes the folder again if it was removed, as cleaners of temporary files do. */
  restoreFolder(): Promise<void>;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Authentication flags of `initdb`. */
  readonly initdbFlags: readonly string[];
}

const PORT = 5432;
/** Path of PostgreSQL's socket in a folder. */
export const socketPath = (folder: string, port = PORT): string =>
  path.join(folder, `.s.PGSQL.${port}`);
/** Parents of socket folders. */
const PARENTS = [os.tmpdir(), "/tmp"];
/** Whether a folder may be a socket folder of Parley. */
export const isSocketFolder = (folder: string): boolean =>
  PARENTS.includes(path.dirname(folder)) && /^parley-\w{6}$/.test(path.basename(folder));
/** Bound on socket paths, below the 104 bytes of macOS. */
const SOCKET_PATH_BYTES = 100;

/**
 * Creates a folder with a random name for the socket; users that can enter it may connect. It is outside
 * the data directory, whose path may be too long for sockets and whose file system may lack them.
 */
export async function createEndpoint(account: Account): Promise<Endpoint> {
  const folders = PARENTS.map((parent) => path.join(parent, "parley-"));
  const prefix = folders.find(
    (name) => Buffer.byteLength(socketPath(`${name}123456`)) < SOCKET_PATH_BYTES,
  );
  const chosen = prefix ?? "/tmp/parley-";
  const folder = await mkdtemp(chosen).catch((cause: NodeJS.ErrnoException) => {
    const refused = `${path.dirname(chosen)} cannot hold the socket of PostgreSQL (${cause.code})`;
    const cure = "set TMPDIR to a directory that this user may write to";
    throw new DirectoryUnusable(`${refused}: ${cure}`, { cause });
  });
  const { user } = account;
  const give = async (): Promise<void> => {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
  };
  await give();
  const uid = user?.uid ?? process.geteuid?.();
  return {
    folder,
    at: socketPath(folder),
    restoreFolder: async () => {
      const made = await mkdir(folder, { mode: 0o700 }).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return false;
          throw error;
        },
      );
      if (made) return give();
      // In a folder for everybody, another user may have taken the name in the meantime.
      const found = await lstat(folder);
      if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
      throw new Error(`${folder} is no longer Parley's folder: remove it`);
    },
    url: `postgres:///postgres?host=${encodeURIComponent(folder)}&user=${ROLE}`,
    settings: {
      listen_addresses: "",
      port: String(PORT),
      unix_socket_directories: folder,
      unix_socket_permissions: "0700",
    },
    initdbFlags: ["--auth-local=trust", "--auth-host=reject"],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** An endpoint if there are no Unix sockets: a port of the loopback and a password. */
export async function createTcpEndpoint(directory: string): Promise<Endpoint> {
  const file = path.join(directory, "database-password");
  const stored = await readFile(file, "utf8").catch(() => undefined);
  const password = stored ?? randomBytes(24).toString("base64url");
  if (stored === undefined) await writeFile(file, password, { mode: 0o600 });
  const port = await findFreePort();
  return {
    folder: directory,
    at: port,
    restoreFolder: async () => {},
    url: `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres`,
    settings: {
      listen_addresses: "127.0.0.1",
      port: String(port),
      unix_socket_directories: "",
      password_encryption: "scram-sha-256",
    },
    initdbFlags: ["--auth=scram-sha-256", `--pwfile=${file}`],
    [Symbol.asyncDispose]: async () => {},
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Whether something accepts connections at a socket path, or at a port of the loopback. */
export async function listens(at: string | number): Promise<boolean> {
  const socket = typeof at === "string" ? connect(at) : connect(at, "127.0.0.1");
  try {
    return await once(socket, "connect").then(
      () => true,
      () => false,
    );
  } finally {
    socket.destroy();
  }
}
