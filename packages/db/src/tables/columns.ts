import { type AnyPgColumn, bigint, text } from "drizzle-orm/pg-core";

/** A time on the wire: milliseconds since the epoch, by the clock of the server. */
export const milliseconds = () => bigint({ mode: "number" });

/** A generated number. */
export const number = () => bigint({ mode: "number" });

/** The number of a row in a table that is not written on the hot path. */
export const identity = () => number().primaryKey().generatedAlwaysAsIdentity();

/** A public id: unique over the whole server. */
export const sid = () => text().notNull().unique();

/** The number and the public id of a row. */
export const identified = () => ({ id: identity(), sid: sid() });

/** The number of a row of another table. */
export const reference = (column: () => AnyPgColumn) => number().notNull().references(column);

/** When a row was created, and when it was last changed. */
export const timestamps = () => ({
  createdAt: milliseconds().notNull(),
  updatedAt: milliseconds().notNull(),
});
