import { checkClocks } from "./check-clocks.ts";
import { checkConnections, checkDatabase, checkSessions, checkTables } from "./check-database.ts";
import { checkDirectory, checkPrograms } from "./check-directory.ts";
import { checkDisks } from "./check-disks.ts";
import { checkEncryption } from "./check-encryption.ts";
import { checkFileDescriptors, checkMemory, checkNode, checkTools } from "./check-machine.ts";
import { checkMetricsPort, checkPort } from "./check-ports.ts";
import { checkRedis } from "./check-redis.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { checkKey, checkServer, checkVersions } from "./check-server.ts";
import { checkSettings } from "./check-settings.ts";
import type { Finding } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** A look at one thing, which changes nothing. It finds nothing where the thing is not used. */
export interface Check {
  readonly what: string;
  readonly find: (around: Surroundings) => Promise<readonly Finding[]>;
}

/** Every check, in the order of the report; they run together. */
export const checks: readonly Check[] = [
  { what: "node", find: checkNode },
  { what: "settings", find: checkSettings },
  { what: "data directory", find: checkDirectory },
  { what: "embedded database", find: checkPrograms },
  { what: "database", find: checkDatabase },
  { what: "sessions", find: checkSessions },
  { what: "tables", find: checkTables },
  { what: "connections", find: checkConnections },
  { what: "encryption", find: checkEncryption },
  { what: "redis", find: checkRedis },
  { what: "disk", find: checkDisks },
  { what: "port", find: checkPort },
  { what: "metrics port", find: checkMetricsPort },
  { what: "sandbox", find: checkSandbox },
  { what: "memory", find: checkMemory },
  { what: "file descriptors", find: checkFileDescriptors },
  { what: "programs", find: checkTools },
  { what: "server", find: checkServer },
  { what: "key", find: checkKey },
  { what: "versions", find: checkVersions },
  { what: "clock", find: checkClocks },
];
