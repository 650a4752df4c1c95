import { createRequire } from "node:module";
import path from "node:path";
import type { Published } from "./published-client.ts";

export const PACKAGE = "@dust-tt/client";
/** The published versions that are tested, the newest first. */
export const versions = ["1.2.8", "1.2.6", "1.2.4", "1.0.50"];

/** Opens a client of the version that is installed in a folder. */
export function openClient(
  folder: string,
  { url, workspaceId, apiKey }: { url: string; workspaceId: string; apiKey: string },
): Published {
  const { DustAPI } = createRequire(path.join(folder, "index.js"))(PACKAGE) as {
    DustAPI: new (config: object, credentials: object, logger: object) => Published;
  };
  const say = (): void => {};
  const logger = { trace: say, debug: say, info: say, warn: say, error: say };
  return new DustAPI({ url }, { workspaceId, apiKey }, logger);
}
