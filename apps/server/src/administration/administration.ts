import type { CommandContext } from "@parley/command/context";
import { environmentFile } from "@parley/command/environment";
import type { Io } from "@parley/command/io";
import { readServerSettings, type Settings } from "../config.ts";

/** The settings of a command on the machine of a server, and its log. Throws `BadConfiguration`. */
export async function administration({ io, readVersion }: CommandContext) {
  const settings = readServerSettings(io);
  return { io, readVersion, settings, logger: await openLog(io, settings) };
}

/** Opens the log on standard error, which says where settings are from. */
export async function openLog({ environment }: Io, settings: Settings) {
  const { createLogger } = await import("../log/logger.ts");
  const logger = createLogger(settings.PARLEY_LOG_LEVEL);
  const file = environmentFile(environment);
  if (file !== undefined) {
    logger.info({ file }, "Settings missing from the environment come from a file");
  }
  return logger;
}
