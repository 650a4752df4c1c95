import type pg from "pg";

/** Does what the writing has left to do, so that it is not done while samples are taken. */
export async function settleDatabase(client: pg.Client): Promise<void> {
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}
