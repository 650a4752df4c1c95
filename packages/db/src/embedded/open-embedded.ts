import type { Database } from "../database.ts";
import { openPostgres, type PostgresOptions } from "../open-postgres.ts";
import { type EmbeddedServer, startEmbedded } from "./start-embedded.ts";

export interface OpenEmbeddedOptions extends Omit<PostgresOptions, "url"> {
  /** The server of the directory, if it already runs. */
  readonly server?: EmbeddedServer | undefined;
}

/**
 * Opens the embedded database of a directory, and brings its tables up to date. PostgreSQL runs until
 * the database is closed or the process ends. Throws the errors of `startEmbedded`.
 */
export async function openEmbedded(
  directory: string,
  { server: started, ...options }: OpenEmbeddedOptions = {},
): Promise<Database> {
  const server = started ?? (await startEmbedded(directory));
  try {
    const database = await openPostgres({ ...options, url: server.url });
    return {
      ...database,
      close: async () => {
        await database.close();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
