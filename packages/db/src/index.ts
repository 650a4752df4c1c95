export * from "./conflict.ts";
export * from "./database.ts";
export * from "./lock.ts";
export { DatabaseTooNew } from "./migrate.ts";
export * from "./open.ts";
export * from "./statement.ts";
export * from "./tables.ts";
export * from "./unavailable.ts";
