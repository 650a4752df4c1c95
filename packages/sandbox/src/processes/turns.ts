/** Who waits for a process, by workspace: workspaces take turns, however many wait in each. */
export interface Turns<T> {
  readonly size: number;
  add(workspaceId: number, waiting: T): void;
  remove(workspaceId: number, waiting: T): void;
  /** Takes the first of the workspace whose turn it is, among those that `may` allows. */
  take(may: (workspaceId: number) => boolean): T | undefined;
  /** Takes the first of one workspace, without giving it a turn. */
  takeOf(workspaceId: number): T | undefined;
}

/** Creates turns without anybody waiting. */
export function createTurns<T>(): Turns<T> {
  const lines = new Map<number, T[]>();
  let size = 0;
  const takeFirst = (workspaceId: number, line: T[]): T | undefined => {
    const first = line.shift();
    lines.delete(workspaceId);
    if (line.length > 0) lines.set(workspaceId, line);
    size--;
    return first;
  };
  return {
    get size() {
      return size;
    },
    add(workspaceId, waiting) {
      lines.set(workspaceId, [...(lines.get(workspaceId) ?? []), waiting]);
      size++;
    },
    remove(workspaceId, waiting) {
      const line = lines.get(workspaceId) ?? [];
      const left = line.filter((one) => one !== waiting);
      if (left.length === line.length) return;
      size--;
      if (left.length === 0) lines.delete(workspaceId);
      else lines.set(workspaceId, left);
    },
    take(may) {
      for (const [workspaceId, line] of lines) {
        if (may(workspaceId)) return takeFirst(workspaceId, line);
      }
      return undefined;
    },
    takeOf(workspaceId) {
      const line = lines.get(workspaceId);
      return line === undefined ? undefined : takeFirst(workspaceId, line);
    },
  };
}
