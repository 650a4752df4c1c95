import type { Confinement } from "../confinement.ts";
import type { KillReason } from "../contract.ts";
import { awaitReady, type Child, startChild } from "./child.ts";
import { cpuMsOf, residentBytesOf } from "./proc.ts";
import { createTurns } from "./turns.ts";

export interface PoolOptions {
  readonly confinement: Confinement;
  /** Processes at once; a workspace has at most half of them. */
  readonly max: number;
}

/** Processes that are ready for programs. */
export interface Pool {
  /**
   * Waits for a process for a workspace. Rejects with the signal's reason, with `PoolFull` after `MAX_WAIT_MS`,
   * and with an error where no process starts.
   */
  take(workspaceId: number, signal: AbortSignal): Promise<Child>;
  /** Gives a process back that waits for its next program, or that was killed. */
  giveBack(child: Child): void;
  readonly state: {
    readonly processes: number;
    readonly busy: number;
    readonly waiting: number;
    readonly killed: Readonly<Record<KillReason, number>>;
  };
  close(): Promise<void>;
}

/** No process was free in time. */
export class PoolFull extends Error {}

/** Longest wait for a process. */
export const MAX_WAIT_MS = 60_000;
/** Processes that no workspace has yet, so that its first program does not wait for a start. */
const SPARES = 1;
const IDLE_MS = 60_000;
/** How long a workspace keeps a process while others wait: replacing it takes longer than a short program. */
const TURN_MS = 250;
/** The kernel ends a process at a multiple of this. */
const MAX_LIFETIME_CPU_MS = 300_000;
/** A process that kept more than this from its programs is replaced: the next would be blamed for it. */
const MAX_IDLE_BYTES = 134_217_728;

interface Waiting {
  readonly workspaceId: number;
  /** False where nobody waits any more. */
  readonly resolve: (child: Child) => boolean;
  readonly reject: (reason: unknown) => void;
}

/** Creates a pool without any process: the first that is asked for starts, and from then on a spare is kept. */
export function createPool({ confinement, max }: PoolOptions): Pool {
  const perWorkspace = Math.max(1, Math.ceil(max / 2));
  const all = new Set<Child>();
  const ready = new WeakMap<Child, Promise<void>>();
  const spares: Child[] = [];
  const idle = new Map<Child, NodeJS.Timeout>();
  const busy = new Map<Child, { readonly workspaceId: number }>();
  const turnSince = new WeakMap<Child, number>();
  const turns = createTurns<Waiting>();
  const killed = { cpu_exceeded: 0, out_of_memory: 0, stopped: 0, broken: 0, retired: 0 };
  let isClosed = false;

  const start = (): Child => {
    const child = startChild(confinement);
    all.add(child);
    const started = awaitReady(child);
    started.catch(() => {});
    ready.set(child, started);
    void afterEnd(child);
    return child;
  };
  const afterEnd = async (child: Child): Promise<void> => {
    await child.gone;
    if (child.killed !== undefined) killed[child.killed]++;
    forget(child);
    serve();
  };
  const forget = (child: Child): void => {
    all.delete(child);
    clearTimeout(idle.get(child));
    idle.delete(child);
    const at = spares.indexOf(child);
    if (at !== -1) spares.splice(at, 1);
  };
  const retire = (child: Child): void => {
    forget(child);
    child.kill("retired");
  };
  const keepSpare = (): void => {
    if (!isClosed && spares.length < SPARES && all.size < max) spares.push(start());
  };
  const busyOf = (workspaceId: number): number =>
    busy.values().reduce((count, one) => count + Number(one.workspaceId === workspaceId), 0);
  const idleOf = (workspaceId: number): Child | undefined =>
    idle.keys().find((child) => child.workspaceId === workspaceId);

  const mayTake = (workspaceId: number): boolean =>
    busyOf(workspaceId) < perWorkspace && (idle.size > 0 || spares.length > 0 || all.size < max);
  const provide = (workspaceId: number): Child => {
    const own = idleOf(workspaceId) ?? spares.shift();
    if (own !== undefined) return own;
    if (all.size >= max) retire(idle.keys().next().value!);
    return start();
  };
  const hand = (child: Child, waiting: Waiting): void => {
    const { workspaceId } = waiting;
    clearTimeout(idle.get(child));
    idle.delete(child);
    if (child.workspaceId === undefined) turnSince.set(child, performance.now());
    child.workspaceId = workspaceId;
    busy.set(child, { workspaceId });
    void handReady(child, waiting);
  };
  const handReady = async (child: Child, { resolve, reject }: Waiting): Promise<void> => {
    try {
      await ready.get(child);
    } catch (error) {
      busy.delete(child);
      retire(child);
      reject(error);
      serve();
      return;
    }
    if (!resolve(child)) giveBack(child);
  };
  const serve = (): void => {
    if (isClosed) return;
    for (let next = turns.take(mayTake); next !== undefined; next = turns.take(mayTake)) {
      hand(provide(next.workspaceId), next);
    }
    if (busy.size > 0) keepSpare();
  };

  const giveBack = (child: Child): void => {
    busy.delete(child);
    const isSpent =
      child.killed !== undefined ||
      child.lowered ||
      (residentBytesOf(child.pid) ?? 0) > MAX_IDLE_BYTES ||
      (cpuMsOf(child.pid) ?? 0) > MAX_LIFETIME_CPU_MS;
    if (isSpent || isClosed) retire(child);
    else {
      idle.set(child, setTimeout(() => retire(child), IDLE_MS).unref());
      const hasTurn = performance.now() - (turnSince.get(child) ?? 0) < TURN_MS;
      const next = hasTurn ? turns.takeOf(child.workspaceId!) : undefined;
      if (next !== undefined) hand(child, next);
      else turnSince.set(child, performance.now());
    }
    serve();
  };

  return {
    take: (workspaceId, signal) =>
      new Promise<Child>((resolveTake, rejectTake) => {
        let isSettled = false;
        const settle = (): void => {
          isSettled = true;
          clearTimeout(timer);
          signal.removeEventListener("abort", cancel);
          turns.remove(workspaceId, waiting);
        };
        const reject = (reason: unknown): void => {
          settle();
          rejectTake(reason);
        };
        const resolve = (child: Child): boolean => {
          if (isSettled) return false;
          settle();
          resolveTake(child);
          return true;
        };
        const cancel = (): void => reject(signal.reason);
        const waiting: Waiting = { workspaceId, resolve, reject };
        const full = (): void =>
          reject(new PoolFull(`No process was free within ${MAX_WAIT_MS} ms`));
        const timer = setTimeout(full, MAX_WAIT_MS);
        if (isClosed) reject(new Error("The sandbox is closed"));
        else if (signal.aborted) cancel();
        else {
          signal.addEventListener("abort", cancel, { once: true });
          turns.add(workspaceId, waiting);
          serve();
        }
      }),
    giveBack,
    state: {
      get processes() {
        return all.size;
      },
      get busy() {
        return busy.size;
      },
      get waiting() {
        return turns.size;
      },
      killed,
    },
    close: async () => {
      isClosed = true;
      const children = [...all];
      for (const child of children) retire(child);
      const closed = new Error("The sandbox is closed");
      for (let next = turns.take(() => true); next; next = turns.take(() => true)) {
        next.reject(closed);
      }
      await Promise.all(children.map(({ gone }) => gone));
    },
  };
}
