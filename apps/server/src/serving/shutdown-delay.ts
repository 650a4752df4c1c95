import type { Settings } from "../config.ts";

/** The parts of the server that a process runs. */
export interface Parts {
  readonly api: boolean;
  readonly worker: boolean;
}

/** A proxy that checks every second or two whether a process is ready has done so by then. */
const API_SHUTDOWN_DELAY_MS = 3000;

/** How long the API continues to accept requests after a signal to stop. */
export function shutdownDelayOf({
  settings,
  parts,
}: {
  readonly settings: Settings;
  readonly parts: Parts;
}): number {
  if (!parts.api) return 0;
  return settings.PARLEY_SHUTDOWN_DELAY_MS ?? (parts.worker ? 0 : API_SHUTDOWN_DELAY_MS);
}
