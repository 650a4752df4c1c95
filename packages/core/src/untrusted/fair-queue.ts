/** Items of a workspace that run together. */
export interface Taken<T> {
  readonly workspaceId: number;
  readonly items: readonly T[];
}

/** Items that wait for a thread, by workspace. */
export interface FairQueue<T> {
  /** Adds the last item of a workspace. */
  push(workspaceId: number, item: T): void;
  /** Puts taken items back, in order and before all others of the workspace. */
  putBack(workspaceId: number, items: readonly T[]): void;
  /** Removes an item. */
  remove(workspaceId: number, item: T): void;
  /** The number of waiting items of a workspace. */
  waiting(workspaceId: number): number;
  /**
   * Takes the next items to run, and counts them as running until `ended`: those of the workspace whose
   * turn it is, among workspaces below `perWorkspace` that `may` allows. Undefined where nothing may
   * run.
   */
  take(may?: (workspaceId: number) => boolean): Taken<T> | undefined;
  /** Called when items that were taken together have ended. */
  ended(workspaceId: number): void;
  /** Removes all waiting items. */
  clear(): T[];
}

interface Line<T> {
  readonly items: T[];
  running: number;
}

/**
 * Creates a queue in which workspaces take turns, whatever their number of waiting items, and each has at
 * most `perWorkspace` groups running. `together` is the size of the next group, from 1.
 */
export function createFairQueue<T>({
  perWorkspace,
  together,
}: {
  readonly perWorkspace: number;
  readonly together: (items: readonly T[]) => number;
}): FairQueue<T> {
  // In the order of their turns.
  const lines = new Map<number, Line<T>>();

  const lineOf = (workspaceId: number): Line<T> => {
    const line = lines.get(workspaceId) ?? { items: [], running: 0 };
    lines.set(workspaceId, line);
    return line;
  };
  const forgetIdle = (workspaceId: number): void => {
    const line = lines.get(workspaceId);
    if (line?.items.length === 0 && line.running === 0) lines.delete(workspaceId);
  };

  return {
    push: (workspaceId, item) => void lineOf(workspaceId).items.push(item),
    putBack: (workspaceId, items) => void lineOf(workspaceId).items.unshift(...items),
    remove: (workspaceId, item) => {
      const { items } = lineOf(workspaceId);
      const at = items.indexOf(item);
      if (at !== -1) items.splice(at, 1);
      forgetIdle(workspaceId);
    },
    waiting: (workspaceId) => lines.get(workspaceId)?.items.length ?? 0,
    take: (may = () => true) => {
      for (const [workspaceId, line] of lines) {
        if (line.items.length === 0 || line.running >= perWorkspace) continue;
        if (!may(workspaceId)) continue;
        const items = line.items.splice(0, together(line.items));
        line.running++;
        lines.delete(workspaceId);
        lines.set(workspaceId, line);
        return { workspaceId, items };
      }
      return undefined;
    },
    ended: (workspaceId) => {
      lineOf(workspaceId).running--;
      forgetIdle(workspaceId);
    },
    clear: () => [...lines.values()].flatMap(({ items }) => items.splice(0)),
  };
}
