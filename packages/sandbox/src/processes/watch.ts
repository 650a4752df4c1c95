import { constants } from "node:os";
import type { KillReason } from "../contract.ts";
import { type Child, lowerPriority } from "./child.ts";
import { cpuMsOf, residentBytesOf } from "./proc.ts";

/** What a process may use while it runs one program. */
export interface Allowance {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

interface Watched extends Allowance {
  readonly cpuAtStart: number;
  /** Of a processor, when it was last there to be measured. */
  usedMs: number;
}

const WATCH_MS = 50;
/** What the code inside may take to notice its limit by itself, which keeps the process. */
const NOTICE_MS = 100;
/** After this, a process runs when no other has work. */
const LOWERED_AFTER_MS = 100;

/**
 * Watches processes from outside, since code inside can hold up every check that is made there: one that has used
 * more than its allowance is killed.
 */
export function createWatch() {
  const watched = new Map<Child, Watched>();
  const total = { cpuMs: 0 };
  let timer: NodeJS.Timeout | undefined;
  const measure = (child: Child, one: Watched): void => {
    one.usedMs = (cpuMsOf(child.pid) ?? one.cpuAtStart + one.usedMs) - one.cpuAtStart;
  };
  const look = (): void => {
    for (const [child, one] of watched) {
      measure(child, one);
      const reason = judge(child, one);
      if (reason !== undefined) child.kill(reason);
    }
  };
  return {
    /** What ended programs used together. */
    total: total as { readonly cpuMs: number },
    start(child: Child, allowance: Allowance): void {
      watched.set(child, { ...allowance, cpuAtStart: cpuMsOf(child.pid) ?? 0, usedMs: 0 });
      timer ??= setInterval(look, WATCH_MS).unref();
    },
    end(child: Child): void {
      const one = watched.get(child);
      if (one === undefined) return;
      measure(child, one);
      total.cpuMs += one.usedMs;
      watched.delete(child);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function judge(
  child: Child,
  { cpuMs, memoryBytes, usedMs }: Readonly<Watched>,
): KillReason | undefined {
  if (usedMs > cpuMs + NOTICE_MS) return "cpu_exceeded";
  if ((residentBytesOf(child.pid) ?? 0) > memoryBytes) return "out_of_memory";
  if (usedMs > LOWERED_AFTER_MS && !child.lowered) {
    child.lowered = true;
    lowerPriority(child.pid, constants.priority.PRIORITY_LOW);
  }
  return undefined;
}
