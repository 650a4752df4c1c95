import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";

/** Keeps all threads of a process on one core. Does nothing where `taskset` or a core is missing. */
export async function pinToCore(pid: number, core: number): Promise<boolean> {
  if (core >= availableParallelism()) return false;
  try {
    await promisify(execFile)("taskset", ["-a", "-c", "-p", String(core), String(pid)]);
    return true;
  } catch {
    return false;
  }
}
