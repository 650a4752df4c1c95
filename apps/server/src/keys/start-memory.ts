import { type Queryable, serverSecrets } from "@parley/db";
import { eq } from "drizzle-orm";
import * as z from "zod";

/** What starts store in the database: they change only workspaces and keys that are named in it. */
const StartMemory = z.object({
  /** Public id of the demo workspace. */
  demoWorkspaceId: z.string().optional(),
  /** Public ids of the keys that starts have created, by purpose. */
  keyIds: z.record(z.string(), z.array(z.string())).default({}),
  /** Those of them that starts have revoked, because others replaced them. */
  replacedKeyIds: z.array(z.string()).default([]),
});
export type StartMemory = z.infer<typeof StartMemory>;

const NAME = "what starts have made";

/**
 * Reads what earlier starts have created, and locks it until the transaction ends, so that servers which
 * start together on one database create it once.
 */
export async function lockStartMemory(db: Queryable): Promise<StartMemory> {
  const { name, value } = serverSecrets;
  await db.insert(serverSecrets).values({ name: NAME, value: "{}" }).onConflictDoNothing();
  const [row] = await db.select({ value }).from(serverSecrets).where(eq(name, NAME)).for("update");
  return StartMemory.parse(JSON.parse(row?.value ?? "{}"));
}

/** Stores it, in the transaction that holds the lock. */
export async function writeStartMemory(db: Queryable, memory: StartMemory): Promise<void> {
  const value = JSON.stringify(memory);
  await db.update(serverSecrets).set({ value }).where(eq(serverSecrets.name, NAME));
}
