import { constants, setPriority } from "node:os";
import type { KillReason } from "../contract.ts";
import { cpuMsOf, type Usage, usageOf } from "./proc.ts";

/** What a process and its descendants may use while they are watched. */
export interface Allowance {
  /** Processor time of the main thread, which is what is charged. */
  readonly cpuMs: number;
  /** Processor time of all threads and descendants: compilers and collectors of garbage are among them. */
  readonly groupCpuMs: number;
  /** Memory of the process with its descendants. */
  readonly memoryBytes: number;
}

/** A process that is watched. */
export interface Target {
  readonly pid: number;
  /** Whether it used so much that it runs after everything else. */
  lowered: boolean;
  kill(reason: KillReason): void;
}

interface Watched extends Allowance {
  readonly cpuAtStart: number;
  /** Of the main thread, when it was last there to be measured. */
  usedMs: number;
  /** Of the group, when it was first looked at. */
  groupAtStart: number | undefined;
  /** What it had used when it began to wait without a place: it may use no more. */
  restingAtMs: number | undefined;
}

/** How often processes are looked at: between two looks they can take what a hard limit must bound. */
export const WATCH_MS = 50;
/** Those that wait are looked at less often, because they may be many. */
const LOOKS_AT_RESTING = 20;
/** What the code inside may take to notice its limit by itself, which keeps the process. */
const NOTICE_MS = 100;
/** After this, a process runs when no other has work. */
const LOWERED_AFTER_MS = 100;

/**
 * Watches processes from outside, since code inside can hold up every check that is made there: one that has used
 * more than its allowance, with its descendants, is killed.
 */
export function createWatch() {
  const watched = new Map<Target, Watched>();
  const total = { cpuMs: 0 };
  let timer: NodeJS.Timeout | undefined;
  const measure = (target: Target, one: Watched): void => {
    one.usedMs = (cpuMsOf(target.pid) ?? one.cpuAtStart + one.usedMs) - one.cpuAtStart;
  };
  let looks = 0;
  const look = (): void => {
    const isForAll = ++looks % LOOKS_AT_RESTING === 0;
    for (const [target, one] of watched) {
      if (one.restingAtMs !== undefined && !isForAll) continue;
      measure(target, one);
      const group = usageOf(target.pid);
      one.groupAtStart ??= group.cpuMs;
      const reason = judge(target, one, group);
      if (reason !== undefined) target.kill(reason);
    }
  };
  return {
    /** What ended programs used together. */
    total: total as { readonly cpuMs: number },
    start(target: Target, allowance: Allowance): void {
      watched.set(target, {
        ...allowance,
        cpuAtStart: cpuMsOf(target.pid) ?? 0,
        usedMs: 0,
        groupAtStart: undefined,
        restingAtMs: undefined,
      });
      timer ??= setInterval(look, WATCH_MS).unref();
    },
    rest(target: Target, isResting: boolean): void {
      const one = watched.get(target);
      if (one === undefined) return;
      if (isResting) measure(target, one);
      one.restingAtMs = isResting ? one.usedMs : undefined;
    },
    /** Ends the watch, and gives the processor time that was used. */
    end(target: Target): number {
      const one = watched.get(target);
      if (one === undefined) return 0;
      measure(target, one);
      total.cpuMs += one.usedMs;
      watched.delete(target);
      if (watched.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      return one.usedMs;
    },
  };
}

function judge(target: Target, one: Readonly<Watched>, group: Usage): KillReason | undefined {
  const { cpuMs, groupCpuMs, memoryBytes, usedMs, groupAtStart = 0, restingAtMs = Infinity } = one;
  if (usedMs > cpuMs + NOTICE_MS || group.cpuMs - groupAtStart > groupCpuMs) return "cpu_exceeded";
  if (usedMs > restingAtMs + NOTICE_MS) return "broken";
  if (group.memoryBytes > memoryBytes) return "out_of_memory";
  if (usedMs > LOWERED_AFTER_MS && !target.lowered) {
    target.lowered = true;
    lowerPriority(target.pid, constants.priority.PRIORITY_LOW);
  }
  return undefined;
}

/** Lets other processes run first; what the process starts from then on does so too. */
export function lowerPriority(pid: number | undefined, priority: number): void {
  if (pid === undefined || process.platform !== "linux") return;
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended.
  }
}
