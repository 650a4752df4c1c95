/** Items of a workspace that run together. */
export interface Taken<T> {
  readonly workspaceId: number;
  readonly items: readonly T[];
}

/** Workspaces of which one must give up a place, and why. */
export interface Owing {
  /** Those that hold the most. */
  readonly workspaceIds: readonly number[];
  /** Whether they hold more than their share; otherwise workspaces are more than places, and take turns. */
  readonly isAboveShare: boolean;
}

/** Items that wait for places, by workspace. */
export interface FairQueue<T> {
  /** The number of waiting items. */
  readonly size: number;
  /** The number of places that are held. */
  readonly held: number;
  /** Adds the last item of a workspace, or the last of those that go first. */
  push(workspaceId: number, item: T): void;
  /** Puts taken items back, in order and before all others of the workspace. */
  putBack(workspaceId: number, items: readonly T[]): void;
  /** Removes an item. */
  remove(workspaceId: number, item: T): void;
  /** The number of waiting items of a workspace. */
  waiting(workspaceId: number): number;
  /**
   * Takes the next items to run, which hold one place until `ended`: those of the workspace whose turn it
   * is, among workspaces below their share that `may` allows. Undefined if nothing may run.
   */
  take(may?: (workspaceId: number) => boolean): Taken<T> | undefined;
  /** Called when items that were taken together have ended, or no longer need their place. */
  ended(workspaceId: number): void;
  /** Takes the place of an item for others, and lets the item wait for another. */
  giveWay(workspaceId: number, item: T): void;
  /** Who must give way, because a workspace waits that holds less than its share and no place is free. */
  owing(): Owing | undefined;
  /** Removes all waiting items. */
  clear(): T[];
}

interface Line<T> {
  readonly items: T[];
  running: number;
}

/**
 * Creates a queue in which workspaces take turns, whatever their number of waiting items. W workspaces that
 * wait for, or hold, some of P places have at most `P / W` each, and at least one; a workspace alone has at most
 * half, so that the next one need not wait. `together` is the size of the next group, from 1.
 */
export function createFairQueue<T>({
  places,
  together = () => 1,
  goesFirst = () => false,
}: {
  readonly places: number;
  readonly together?: (items: readonly T[]) => number;
  /** Whether an item goes before the others of its workspace. */
  readonly goesFirst?: (item: T) => boolean;
}): FairQueue<T> {
  // In the order of their turns.
  const lines = new Map<number, Line<T>>();
  let size = 0;
  let held = 0;

  const share = (): number => Math.max(1, Math.floor(places / Math.max(2, lines.size)));
  const lineOf = (workspaceId: number): Line<T> => {
    const line = lines.get(workspaceId) ?? { items: [], running: 0 };
    lines.set(workspaceId, line);
    return line;
  };
  const forgetIdle = (workspaceId: number): void => {
    const line = lines.get(workspaceId);
    if (line?.items.length === 0 && line.running === 0) lines.delete(workspaceId);
  };
  const goLast = (workspaceId: number, line: Line<T>): void => {
    lines.delete(workspaceId);
    lines.set(workspaceId, line);
  };
  const push = (workspaceId: number, item: T): void => {
    const { items } = lineOf(workspaceId);
    items.splice(goesFirst(item) ? items.findLastIndex(goesFirst) + 1 : items.length, 0, item);
    size++;
  };
  const ended = (workspaceId: number): void => {
    lineOf(workspaceId).running--;
    held--;
    forgetIdle(workspaceId);
  };

  return {
    get size() {
      return size;
    },
    get held() {
      return held;
    },
    push,
    putBack: (workspaceId, items) => {
      lineOf(workspaceId).items.unshift(...items);
      size += items.length;
      forgetIdle(workspaceId);
    },
    remove: (workspaceId, item) => {
      const items = lines.get(workspaceId)?.items ?? [];
      const at = items.indexOf(item);
      if (at === -1) return;
      items.splice(at, 1);
      size--;
      forgetIdle(workspaceId);
    },
    waiting: (workspaceId) => lines.get(workspaceId)?.items.length ?? 0,
    take: (may = () => true) => {
      if (held >= places) return undefined;
      for (const [workspaceId, line] of lines) {
        if (line.items.length === 0 || line.running >= share()) continue;
        if (!may(workspaceId)) continue;
        const items = line.items.splice(0, together(line.items));
        size -= items.length;
        line.running++;
        held++;
        goLast(workspaceId, line);
        return { workspaceId, items };
      }
      return undefined;
    },
    ended,
    giveWay: (workspaceId, item) => {
      push(workspaceId, item);
      ended(workspaceId);
      goLast(workspaceId, lineOf(workspaceId));
    },
    owing: () => {
      if (held < places) return undefined;
      const isOwed = lines.values().some((one) => one.items.length > 0 && one.running < share());
      if (!isOwed) return undefined;
      const most = Math.max(...lines.values().map(({ running }) => running));
      const holders = [...lines].filter(([, { running }]) => running === most);
      return { workspaceIds: holders.map(([id]) => id), isAboveShare: most > share() };
    },
    clear: () => {
      size = 0;
      return [...lines.values()].flatMap(({ items }) => items.splice(0));
    },
  };
}

/** Places that workspaces share, for work that holds one from its beginning to its end. */
export interface FairPlaces {
  /** The number of those of a workspace that wait. */
  waiting(workspaceId: number): number;
  /**
   * Resolves with what gives the place back once it is the workspace's turn. Throws the reason of the signal when
   * that aborts before.
   */
  enter(workspaceId: number, signal: AbortSignal): Promise<() => void>;
}

/** Creates places in which workspaces take turns, by the rules of `createFairQueue`. */
export function createFairPlaces(places: number): FairPlaces {
  const queue = createFairQueue<() => void>({ places });
  const startNext = (): void => {
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      for (const start of taken.items) start();
    }
  };
  return {
    waiting: (workspaceId) => queue.waiting(workspaceId),
    enter: async (workspaceId, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (): void => {
        queue.remove(workspaceId, resolve);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(workspaceId, resolve);
      startNext();
      await promise.finally(() => signal.removeEventListener("abort", leave));
      return () => {
        queue.ended(workspaceId);
        startNext();
      };
    },
  };
}
