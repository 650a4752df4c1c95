import { readServerSettings, type Settings } from "../config.ts";
import { environmentFile } from "../environment.ts";

/** The settings of a command on the machine of a server, and its log. Throws `BadConfiguration`. */
export async function administration() {
  const settings = readServerSettings();
  return { settings, logger: await openLog(settings) };
}

/** Opens the log on standard error, which says where settings are from. */
export async function openLog(settings: Settings) {
  const { createLogger } = await import("./logger.ts");
  const logger = createLogger(settings.PARLEY_LOG_LEVEL);
  const file = environmentFile();
  if (file !== undefined) {
    logger.info({ file }, "Settings that the environment lacks are from a file");
  }
  return logger;
}
