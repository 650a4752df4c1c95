export * from "./unavailable.ts";
export * from "./database.ts";
export * from "./statement.ts";
export * from "./held-workspaces.ts";
export {
  type DatabaseFindings,
  inspectDatabase,
  type Observed,
} from "./inspect/inspect-database.ts";
export {
  type DirectoryFindings,
  inspectDirectory,
  nearestDirectory,
} from "./inspect/inspect-directory.ts";
export { inspectPrograms } from "./inspect/inspect-programs.ts";
export * from "./lock.ts";
export { DatabaseTooNew, type MigrationState } from "./migrate.ts";
export { holdsDatabase } from "./embedded/cluster.ts";
export { openEmbedded } from "./embedded/open-embedded.ts";
export { type EmbeddedServer, readEmbeddedUrl, startEmbedded } from "./embedded/start-embedded.ts";
export { findUnfitSession, openPostgres, type PostgresOptions } from "./open-postgres.ts";
export { ensurePrivateDirectory } from "./private-directory.ts";
export * from "./tables.ts";
export { exportDatabase, type Transferred } from "./transfer/export-database.ts";
export { RefusedTransfer } from "./transfer/format.ts";
export { importDatabase } from "./transfer/import-database.ts";
export * from "./write-rows.ts";
