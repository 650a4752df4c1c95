import { bigint, text } from "drizzle-orm/pg-core";

/** A time that the wire shows: milliseconds since the epoch, by the clock of the server. */
export const milliseconds = () => bigint({ mode: "number" });

/** A generated number. */
export const number = () => bigint({ mode: "number" });

/** The number of a row in a table that is not written on the hot path. */
export const identity = () => number().primaryKey().generatedAlwaysAsIdentity();

/** A public id: unique over the whole server. */
export const sid = () => text().notNull().unique();
