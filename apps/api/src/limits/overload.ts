import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { ApiSettings } from "../config.ts";
import { createDatabaseWait } from "./database-wait.ts";
import { watchLoopDelay } from "./loop-delay.ts";

export type Overload = ReturnType<typeof watchOverload>;

/** Watches the event loop, and the database while requests come. */
export function watchOverload(
  core: Pick<Core, "database">,
  settings: Pick<ApiSettings, "PARLEY_MAX_LOOP_DELAY_MS" | "PARLEY_DATABASE_WAIT_MS">,
) {
  const maxDelayMs = settings.PARLEY_MAX_LOOP_DELAY_MS || Infinity;
  const loopDelay = watchLoopDelay();
  const databaseWait = createDatabaseWait(core.database);
  return {
    /** Throws `rate_limit_error` while the event loop or the database is overloaded. */
    refuse: (): void => {
      const isOverloaded =
        loopDelay.currentMs() > maxDelayMs || databaseWait() > settings.PARLEY_DATABASE_WAIT_MS;
      if (!isOverloaded) return;
      throw new ParleyError("rate_limit_error", "The server is overloaded: try again", {
        retryAfterSeconds: 1,
      });
    },
    loopDelayMs: loopDelay.currentMs,
    close: loopDelay.close,
  };
}
