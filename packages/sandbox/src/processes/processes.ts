import type { Confinement } from "../confinement.ts";
import type { KillReason } from "../contract.ts";
import { awaitReady, type Child, startChild } from "./child.ts";
import { cpuMsOf, residentBytesOf } from "./proc.ts";

/** The processes of a sandbox: those that have a program, and those that are ready for one. */
export interface Processes {
  /** A process for a program that `running` counts already; others that are ready make room. */
  provide(workspaceId: number): Child;
  /** Resolves when a process can take its first program. Rejects if it does not start. */
  ready(child: Child): Promise<void>;
  /** Keeps a process for the next program of its workspace; false if it cannot be used again, and is gone. */
  keep(child: Child): boolean;
  retire(child: Child): void;
  /** Makes room beside programs that run, and keeps a spare. */
  fit(): void;
  readonly size: number;
  readonly killed: Readonly<Record<KillReason, number>>;
  close(): Promise<void>;
}

/** Processes that no workspace has yet, so that its first program does not wait for a start. */
const SPARES = 1;
const IDLE_MS = 60_000;
/** The kernel ends a process at a multiple of this. */
const MAX_LIFETIME_CPU_MS = 300_000;
/** A process that kept more than this from its programs is replaced: the next would be blamed for it. */
const MAX_IDLE_BYTES = 134_217_728;

/**
 * Creates them without any: the first that is asked for starts, and from then on a spare is kept. Programs that
 * run, which `running` counts, and processes that are ready are `max` together.
 */
export function createProcesses({
  confinement,
  max,
  running,
  afterEnd,
}: {
  readonly confinement: Confinement;
  readonly max: number;
  readonly running: () => number;
  /** Called when a process has ended. */
  readonly afterEnd: () => void;
}): Processes {
  const all = new Set<Child>();
  const ready = new WeakMap<Child, Promise<void>>();
  const spares: Child[] = [];
  const idle = new Map<Child, NodeJS.Timeout>();
  const killed = { cpu_exceeded: 0, out_of_memory: 0, stopped: 0, broken: 0, retired: 0 };
  let isClosed = false;

  const start = (): Child => {
    const child = startChild(confinement);
    all.add(child);
    const started = awaitReady(child);
    started.catch(() => {});
    ready.set(child, started);
    void forgetEnded(child);
    return child;
  };
  const forgetEnded = async (child: Child): Promise<void> => {
    await child.gone;
    if (child.killed !== undefined) killed[child.killed]++;
    forget(child);
    afterEnd();
  };
  const forget = (child: Child): void => {
    all.delete(child);
    unlist(child);
  };
  const unlist = (child: Child): void => {
    clearTimeout(idle.get(child));
    idle.delete(child);
    const at = spares.indexOf(child);
    if (at !== -1) spares.splice(at, 1);
  };
  const retire = (child: Child): void => {
    forget(child);
    child.kill("retired");
  };
  /** How many could be added; below 0 there are too many. */
  const room = (): number => max - running() - idle.size - spares.length;
  const makeRoom = (): void => {
    const least = idle.keys().next().value ?? spares[0];
    if (least !== undefined) retire(least);
  };

  return {
    provide: (workspaceId) => {
      const own = idle.keys().find((child) => child.workspaceId === workspaceId) ?? spares[0];
      if (own !== undefined) {
        unlist(own);
        return own;
      }
      if (room() < 0) makeRoom();
      return start();
    },
    ready: async (child) => ready.get(child),
    keep: (child) => {
      const isSpent =
        isClosed ||
        child.killed !== undefined ||
        child.lowered ||
        (residentBytesOf(child.pid) ?? 0) > MAX_IDLE_BYTES ||
        (cpuMsOf(child.pid) ?? 0) > MAX_LIFETIME_CPU_MS;
      if (isSpent) retire(child);
      else idle.set(child, setTimeout(() => retire(child), IDLE_MS).unref());
      return !isSpent;
    },
    retire,
    fit: () => {
      while (room() < 0 && idle.size + spares.length > 0) makeRoom();
      if (!isClosed && running() > 0 && spares.length < SPARES && room() > 0) spares.push(start());
    },
    get size() {
      return all.size;
    },
    killed,
    close: async () => {
      isClosed = true;
      const children = [...all];
      for (const child of children) retire(child);
      await Promise.all(children.map(({ gone }) => gone));
    },
  };
}
