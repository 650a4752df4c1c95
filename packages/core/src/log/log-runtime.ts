import type { Database } from "@parley/db";
import type { EventBus } from "./bus.ts";

/** The dependencies of the log. */
export interface LogRuntime {
  readonly database: Database;
  readonly bus: EventBus;
  /** Milliseconds since the epoch: the time of the database, which all processes share. */
  readonly now: () => number;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** How often followed logs and runs are polled without a hint; more often while the bus is disconnected. */
  readonly safetyPollMs: number;
}
