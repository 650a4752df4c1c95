import { randomBytes } from "node:crypto";
import { type Queryable, serverSecrets } from "@parley/db";
import { eq } from "drizzle-orm";

const NAME = "upload addresses";

/**
 * Reads the key that signs addresses of uploads, which whoever needs it first makes: all processes
 * on a database share it. Ask outside transactions.
 */
export function createSigningKey(db: Queryable): () => Promise<Uint8Array> {
  let known: Promise<Uint8Array> | undefined;
  const read = async (): Promise<Uint8Array> => {
    const value = randomBytes(32).toString("base64");
    await db.insert(serverSecrets).values({ name: NAME, value }).onConflictDoNothing();
    const [row] = await db.select().from(serverSecrets).where(eq(serverSecrets.name, NAME));
    if (row === undefined) throw new Error("The signing key was not written");
    return Buffer.from(row.value, "base64");
  };
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
