import * as z from "zod";
import { oneLine } from "./print.ts";

/** What a server says of itself without a key. */
export interface Probe {
  readonly isAlive: boolean;
  readonly isReady: boolean;
  /** Why it is not ready, or what does not work beside it. */
  readonly details: string | undefined;
  readonly version: string | undefined;
  /** How far its clock is ahead of this machine's, in milliseconds; its answer has whole seconds. */
  readonly clockAheadMs: number | undefined;
}

const Ready = z.object({
  version: z.string().optional(),
  details: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const at = (url: string, path: string): string => `${url.replace(/\/+$/, "")}${path}`;

/** Asks a server whether it lives and is ready. Throws if nothing answers in time. */
export async function probeServer(url: string, timeoutMs: number): Promise<Probe> {
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(at(url, "/readyz"), { signal });
  const said = Ready.safeParse(parse(await answer.text())).data;
  // The first request connects, so the middle of the second is nearer to when it was answered.
  const before = Date.now();
  const alive = await fetch(at(url, "/livez"), { signal });
  const middle = (before + Date.now()) / 2;
  await alive.body?.cancel();
  const details = said?.error?.message ?? said?.details;
  const date = Date.parse(alive.headers.get("date") ?? "");
  return {
    isAlive: alive.ok,
    isReady: answer.ok,
    details: details === undefined ? undefined : oneLine(details).slice(0, 300),
    version: said?.version === undefined ? undefined : oneLine(said.version).slice(0, 100),
    // It was cut to its second, so half of one is what it lacks on average.
    clockAheadMs: Number.isNaN(date) ? undefined : Math.round(date + 500 - middle),
  };
}

/** Whether a Parley answers at a URL; asks for what costs the server nothing. */
export async function isParley(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(at(url, "/llms.txt"), { signal });
    return (await answer.text()).startsWith("# Parley\n");
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
