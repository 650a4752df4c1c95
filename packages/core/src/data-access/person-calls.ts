import { type SQL, sql } from "drizzle-orm";

/** The status of a call that waits for the output of an application's own tool: no person is asked. */
export const NEEDS_OUTPUT = "blocked_client_output_required";

/** Whether a call, by its status, waits for a person. The index of calls that wait serves it. */
export const waitsForPerson = (status: SQL): SQL =>
  sql`starts_with(${status}, 'blocked_') and ${status} <> ${sql.raw(`'${NEEDS_OUTPUT}'`)}`;
