import { createHash } from "node:crypto";
import { type Queryable, statement } from "@parley/db";
import { ParleyError, toBase62 } from "@parley/schema";
import { sql } from "drizzle-orm";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import type { WorkspaceCaller } from "../context.ts";

/**
 * The id of the conversation that a caller has under a name of its own, such as a chat's: the same in every
 * process, and another for each key, and for each user of one. Users of keys that see the whole workspace
 * have the same under each of these.
 */
export function conversationIdOf(caller: WorkspaceCaller, name: string): string {
  const { workspace, apiKey, user, userToken } = caller;
  const ofUser = userToken === undefined ? [] : [user.sid];
  const ofKey = userToken !== undefined && seesAllOfWorkspace(caller) ? [] : [apiKey.sid];
  const parts = JSON.stringify([workspace.sid, ofUser, ofKey, name]);
  const hash = createHash("sha256").update(parts).digest();
  return toBase62(hash.readUIntBE(0, 6), 5) + toBase62(hash.readUIntBE(6, 6), 5);
}

const takeStatement = statement<{ sid: string }, { isFree: boolean }>(
  "take_conversation_id",
  sql`select pg_try_advisory_xact_lock(hashtextextended(${sql.placeholder("sid")}, 0))
    and not exists (select from conversations where sid = ${sql.placeholder("sid")}) as "isFree"`,
);

/**
 * Holds the id of a conversation that is about to be written, until the transaction ends. Throws
 * `idempotency_key_in_use` if there is one, or another transaction holds the id: nobody waits for it.
 */
export async function takeConversationId(db: Queryable, sid: string): Promise<void> {
  const [taken] = await takeStatement.execute(db, { sid });
  if (taken?.isFree === true) return;
  throw new ParleyError(
    "idempotency_key_in_use",
    "Another request is creating this conversation: try again",
    { retryAfterSeconds: 1 },
  );
}
