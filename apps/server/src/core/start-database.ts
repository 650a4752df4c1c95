import type { DirectoryLock } from "@parley/db/lock";
import { type EmbeddedServer, startEmbedded } from "@parley/db/embedded";
import type { Logger } from "pino";
import type { Settings } from "../config.ts";

/** Connections besides the pool's: two for slow work, and one for migrations. */
const OTHER_CONNECTIONS = 3;

/** Starts the embedded database of the data directory; without a `lock`, it takes one. */
export function startDatabase(
  settings: Settings,
  logger: Logger,
  lock?: DirectoryLock,
): Promise<EmbeddedServer> {
  return startEmbedded(settings.PARLEY_DATA_DIR, {
    lock,
    connections: settings.PARLEY_DATABASE_POOL + OTHER_CONNECTIONS,
    log: (level, message) => logger[level](message),
  });
}
