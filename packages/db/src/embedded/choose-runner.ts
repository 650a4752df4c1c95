import { chmod, chown, lchown, lstat, readdir, readFile, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { copyPrograms, isThere, type Programs } from "./programs.ts";
import { NoEmbeddedDatabase, type ProgramFailed } from "./refusals.ts";
import { type Account, runProgram } from "./run-program.ts";

/** PostgreSQL's programs, and the account that runs them. */
export interface Runner {
  readonly account: Account;
  readonly programs: Programs;
}

const ownAccount: Account = { user: undefined, prefix: [] };

interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Candidate {
  readonly programs: Programs;
  readonly directory: string;
  /** Path of the cluster, which may not exist yet. */
  readonly cluster: string;
}

/**
 * Chooses the account that runs PostgreSQL on a locked data directory, and makes it the owner of the
 * directory. Throws `NoEmbeddedDatabase`.
 */
export async function chooseRunner(candidate: Candidate): Promise<Runner> {
  const { programs, directory, cluster } = candidate;
  if (process.platform === "win32") return { account: ownAccount, programs };
  if (process.geteuid?.() === 0) return chooseForRoot(candidate);
  // Only initdb needs the name of the user.
  if (hasName() || (await isThere(cluster))) return { account: ownAccount, programs };
  const { account, problem } = await inNamespace(programs, directory);
  if (account !== undefined) return { account, programs };
  throw new NoEmbeddedDatabase(
    `PostgreSQL does not run as user ${process.geteuid?.()}, who has no name in /etc/passwd: run ` +
      "parley as a user that has one, or set DATABASE_URL to your own PostgreSQL",
    { cause: problem },
  );
}

async function chooseForRoot({ programs, directory }: Candidate): Promise<Runner> {
  const parent = path.dirname(directory);
  const before = await stat(directory);
  const give = ({ uid, gid }: User): Promise<boolean> =>
    chown(directory, uid, gid).then(
      () => true,
      () => false,
    );
  for (const user of await unprivilegedUsers([before, await stat(parent)])) {
    const account: Account = { user, prefix: [] };
    if ((await whyNot(account, ["/bin/sh", "-c", ":"], parent)) !== undefined) continue;
    if (!(await give(user))) continue;
    if ((await whyNot(account, [programs.postgres, "--version"], directory)) === undefined) {
      return { account, programs };
    }
    // The programs are unreadable, as in a global folder of npm below the home of root.
    const copy = await copyPrograms(programs, directory);
    await giveTo(path.dirname(copy.root), account);
    if ((await whyNot(account, [copy.postgres, "--version"], directory)) === undefined) {
      return { account, programs: copy };
    }
  }
  await give({ uid: 0, gid: 0 });
  const { account, problem } = await inNamespace(programs, directory);
  if (account !== undefined) return { account, programs };
  await give(before);
  throw new NoEmbeddedDatabase(
    `PostgreSQL does not run as root, no other user can enter ${parent}, and it does not run in a ` +
      `user namespace (${problem?.message}): run parley as another user, set PARLEY_DATA_DIR to a ` +
      "directory below one that others can enter, or set DATABASE_URL to your own PostgreSQL",
    { cause: problem },
  );
}

/** The owners of the directories, then `nobody`; without root and unknown users. */
async function unprivilegedUsers(owners: readonly User[]): Promise<User[]> {
  const named = await readNames();
  const users = [...owners, named.find(({ name }) => name === "nobody")];
  return users
    .filter((user) => user !== undefined)
    .filter(({ uid }) => uid > 0 && named.some((one) => one.uid === uid))
    .map(({ uid, gid }) => ({ uid, gid }));
}

/** In a user namespace the files keep their owner, and PostgreSQL sees a user with a name, which initdb needs. */
async function inNamespace(programs: Programs, cwd: string) {
  const named = await readNames();
  const { uid } = named.find(({ name }) => name === "nobody") ??
    named.find((one) => one.uid > 0) ?? { uid: 65_534 };
  const prefix = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${uid}`];
  const account: Account = { user: undefined, prefix };
  const problem = await whyNot(account, [programs.postgres, "--version"], cwd);
  return { account: problem === undefined ? account : undefined, problem };
}

/** Runs a command to see whether the account may; undefined if it may. */
async function whyNot(account: Account, command: readonly string[], cwd: string) {
  const enter = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd, ...command];
  return runProgram(account, enter, "/").then(
    () => undefined,
    (problem: ProgramFailed) => problem,
  );
}

async function readNames() {
  const text = await readFile("/etc/passwd", "utf8").catch(() => "");
  return text.split("\n").map((line) => {
    const [name = "", , uid, gid] = line.split(":");
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

function hasName(): boolean {
  try {
    return os.userInfo().username !== "";
  } catch {
    return false;
  }
}

/**
 * Makes the account of PostgreSQL the only owner of a folder and its contents, which may have been copied
 * or created by another user.
 */
export async function giveTo(folder: string, { user }: Account): Promise<void> {
  if (process.platform === "win32") return;
  await chmod(folder, 0o700);
  // Only root can change owners.
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = user ?? { uid: 0, gid: 0 };
  // Some copies by root preserve the owners of files, but not of folders.
  const samples = [".", ...(await readdir(folder))].map((name) => lstat(path.join(folder, name)));
  if ((await Promise.all(samples)).every((one) => one.uid === uid)) return;
  for (const name of await readdir(folder, { recursive: true })) {
    await lchown(path.join(folder, name), uid, gid);
  }
  // Last, so that an interrupted change is repeated.
  await lchown(folder, uid, gid);
}
