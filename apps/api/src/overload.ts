import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { ApiSettings } from "./config.ts";
import { createDatabaseWait } from "./database-wait.ts";
import { watchLoopDelay } from "./loop-delay.ts";

const RETRY_AFTER_SECONDS = 1;

/** Refuses soon what could not be answered soon. */
export interface Overload {
  /** Throws `rate_limit_error` while the event loop or the database has more to do than it can. */
  refuse(): void;
  /** What the event loop lately takes for a turn, in milliseconds. */
  loopDelayMs(): number;
  close(): void;
}

/** Watches the event loop, and the database as long as requests come. */
export function watchOverload(
  core: Pick<Core, "database">,
  settings: Pick<ApiSettings, "PARLEY_MAX_LOOP_DELAY_MS" | "PARLEY_DATABASE_WAIT_MS">,
): Overload {
  const maxDelayMs = settings.PARLEY_MAX_LOOP_DELAY_MS || Infinity;
  const loopDelay = watchLoopDelay();
  const databaseWait = createDatabaseWait(core.database);
  return {
    refuse: () => {
      const isOverloaded =
        loopDelay.currentMs() > maxDelayMs || databaseWait() > settings.PARLEY_DATABASE_WAIT_MS;
      if (!isOverloaded) return;
      throw new ParleyError("rate_limit_error", "The server has too much to do: try again", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    },
    loopDelayMs: () => loopDelay.currentMs(),
    close: () => loopDelay.close(),
  };
}
