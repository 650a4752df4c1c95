import { readFileSync } from "node:fs";

/** A user of the system, and its group. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The last ids that containers have too, but that of `nobody`, which may run the database. */
const candidates = Array.from({ length: 100 }, (_, index) => 65_533 - index);

/** A user that nothing else runs as, which children of root become; undefined if this process is not root. */
export function otherUser(): User | undefined {
  if (process.platform !== "linux" || process.geteuid?.() !== 0) return undefined;
  const taken = new Set([...idsIn("/etc/passwd"), ...idsIn("/etc/group")]);
  const free = candidates.find((id) => !taken.has(id));
  return free === undefined ? undefined : { uid: free, gid: free };
}

function idsIn(file: string): number[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => Number(line.split(":")[2]));
  } catch {
    return [];
  }
}
