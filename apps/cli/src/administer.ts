import { generateApiKey, inTransaction, insertApiKey, recordCommand } from "@parley/core";
import { apiKeys } from "@parley/db";
import { and, eq, isNull } from "drizzle-orm";
import type { Logger } from "pino";
import type { Settings } from "./config.ts";
import { openCore, openDatabase } from "./open-core.ts";
import { Usage } from "./usage.ts";

export interface Administration {
  readonly settings: Settings;
  readonly logger: Logger;
}

/** Brings the tables of the database up to date; of several who do, one does and the others wait. */
export async function migrate(
  { settings, logger }: Administration,
  print: (line: string) => void,
): Promise<void> {
  const database = await openDatabase({ settings, logger, lock: undefined });
  await database.close();
  print("The database is up to date");
}

/**
 * Makes the first operator key, and prints it: it is never shown again. Throws `Usage` where the
 * server has one.
 */
export async function bootstrapKeys(
  { settings, logger }: Administration,
  print: (line: string) => void,
): Promise<void> {
  const { core, close } = await openCore({
    settings,
    logger,
    lock: undefined,
    publicUrl: () => "",
  });
  try {
    const secret = generateApiKey();
    await inTransaction(core, async ({ db }) => {
      const inUse = and(eq(apiKeys.role, "operator"), isNull(apiKeys.revokedAt));
      const [found] = await db.select({ name: apiKeys.name }).from(apiKeys).where(inUse).limit(1);
      if (found !== undefined) {
        throw new Usage("There is an operator key already: make others with it (apiKeys.create)");
      }
      const key = { workspaceId: null, name: "operator", role: "operator", secret } as const;
      const { sid: subjectId } = await insertApiKey(core, db, key);
      const action = "apiKeys.create";
      await recordCommand(core, db, { action, workspaceId: undefined, subjectId });
    });
    print(secret);
  } finally {
    await close();
  }
}
