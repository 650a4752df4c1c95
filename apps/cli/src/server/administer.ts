import { generateApiKey, inTransaction, insertApiKey, recordCommand } from "@parley/core";
import type { Logger } from "pino";
import type { Settings } from "../config.ts";
import { hasOperatorKey } from "./keys.ts";
import { openCore, openDatabase } from "./open-core.ts";
import { CommandError } from "../command-error.ts";

export interface Administration {
  readonly settings: Settings;
  readonly logger: Logger;
}

/** Brings the tables of the database up to date; concurrent processes wait for the first. */
export async function migrate(
  { settings, logger }: Administration,
  print: (line: string) => void,
): Promise<void> {
  const database = await openDatabase({ settings, logger });
  await database.close();
  print("The database is up to date");
}

/**
 * Creates the first operator key, and prints it: it is never shown again. Throws `CommandError` if the
 * server has one.
 */
export async function bootstrapKeys(
  { settings, logger }: Administration,
  print: (line: string) => void,
): Promise<void> {
  const { core, close } = await openCore({ settings, logger, publicUrl: () => "" });
  try {
    const secret = generateApiKey();
    await inTransaction(core, async ({ db }) => {
      if (await hasOperatorKey(core, db)) {
        throw new CommandError(
          "There is an operator key already: create others with it (parley operator-keys create)",
        );
      }
      const key = { workspaceId: null, name: "operator", role: "operator", secret } as const;
      const { sid: subjectId } = await insertApiKey(core, db, key);
      const action = "operatorKeys.create";
      await recordCommand(core, db, { action, workspaceId: undefined, subjectId });
    });
    print(secret);
  } finally {
    await close();
  }
}
