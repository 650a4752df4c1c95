import { logs } from "@parley/db";
import type { MessageEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

/** Opens an empty log, with the prefix of an invocation if given, and returns its id. */
export async function openTestLog(core: Core, fence = 0, prefix?: "sfi"): Promise<string> {
  const id = core.newId(prefix);
  await core.database.db.insert(logs).values({ id, lastSeq: 0, fence });
  return id;
}

/** Closes a log without an event that says so. */
export async function closeTestLog({ database }: Core, logId: string): Promise<void> {
  await database.db.execute(sql`update logs set closed_at = now() where id = ${logId}`);
}

/** Moves the end of a closed log into the past. */
export async function ageTestLog({ database }: Core, logId: string, ms: number): Promise<void> {
  await database.db.execute(sql`
    update logs set closed_at = now() - ${ms}::float * interval '1 millisecond'
    where id = ${logId} and closed_at is not null`);
}

const step = { created: 0, configurationId: "agent", messageId: "message", step: 0 };

/** An event with a text, for a log that is not rendered. */
export function testToken(text: string): MessageEvent {
  return { type: "generation_tokens", ...step, text, classification: "tokens" };
}

/** An event that ends a log. */
export const testEnd: MessageEvent = { type: "agent_generation_cancelled", ...step };
