import type { CommandContext } from "@parley/command/context";
import type { Connect } from "./clients.ts";

/** What each command is given that calls a server. */
export interface Context extends CommandContext {
  /** Makes the clients of a server. */
  readonly connect: Connect;
  /** Names of the settings of a server, which a command knows so that it refuses misspelt ones. */
  readonly serverSettings: readonly string[];
}
