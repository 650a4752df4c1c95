import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { printLine, reportLine } from "@parley/command/print";
import {
  generateApiKey,
  inTransaction,
  insertApiKey,
  recordCommand,
  revokeAllOperatorKeys,
} from "@parley/core";
import type { Logger } from "pino";
import type { Settings } from "../config.ts";
import { hasOperatorKey } from "../keys/keys.ts";
import { openCore, openDatabase } from "../core/open-core.ts";

export interface Administration {
  readonly io: Io;
  readonly readVersion: () => string;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** Brings the tables of the database up to date; concurrent processes wait for the first. */
export async function migrate({ io, settings, logger }: Administration): Promise<void> {
  const onMigrating = (missing: number): void => {
    reportLine(io, `Applying migrations (${missing}); this takes minutes if tables are large`);
  };
  const database = await openDatabase({ settings, logger, onMigrating });
  await database.close();
  printLine(io, "The database is up to date");
}

/**
 * Creates the first operator key, and prints it: it is never shown again. With `replace` it revokes those that there
 * are. Throws `CommandError` if the server has one otherwise.
 */
export async function bootstrapKeys(
  { io, readVersion, settings, logger }: Administration,
  { replace }: { readonly replace?: true | undefined },
): Promise<void> {
  const { core, close } = await openCore({ readVersion, settings, logger, publicUrl: () => "" });
  try {
    const secret = generateApiKey();
    await inTransaction(core, async (transaction) => {
      const { db } = transaction;
      const revoked = replace ? await revokeAllOperatorKeys(core, transaction) : [];
      for (const subjectId of revoked) {
        const action = "operatorKeys.revoke";
        await recordCommand(core, db, { action, workspaceId: undefined, subjectId });
      }
      if (await hasOperatorKey(core, db)) {
        throw new CommandError(
          "An operator key already exists: create others with it (parley operator-keys create). If all are lost, add --replace, which revokes them",
        );
      }
      const key = { workspaceId: null, name: "operator", role: "operator", secret } as const;
      const { sid: subjectId } = await insertApiKey(core, db, key);
      const action = "operatorKeys.create";
      await recordCommand(core, db, { action, workspaceId: undefined, subjectId });
    });
    printLine(io, secret);
  } finally {
    await close();
  }
}
