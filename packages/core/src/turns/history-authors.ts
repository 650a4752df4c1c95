/** Who has written the messages of a history. */
import { sql } from "drizzle-orm";
import type { MessageRow } from "../data-access/rows.ts";

/** The user who wrote a message, as its context names them, or another agent than the one that answers. */
export interface HistoryAuthor {
  readonly kind: "user" | "agent";
  /** Tells authors of one kind apart. */
  readonly id: string;
  readonly name: string;
}

/**
 * The author of a message of the subquery `recent`, for the answer `m`; null for a fragment and for answers of the
 * same version of the agent. Only other agents are read from a further row.
 */
export const historyAuthor = sql`
  case
    when type = 'user_message' then json_build_object('kind', 'user',
      'id', concat_ws(' ', user_id, context ->> 'username'),
      'name', coalesce(nullif(context ->> 'fullName', ''), context ->> 'username'))
    when agent_id <> m.agent_id then (
      select json_build_object('kind', 'agent', 'id', other.sid, 'name', other.name)
      from agents other where other.id = recent.agent_id)
  end`;

/** The author of a message that a user has just written; null for others. */
export function authorOfNew({ type, userId, context }: MessageRow): HistoryAuthor | null {
  if (type !== "user_message") return null;
  const username = context?.username ?? "";
  const name = context?.fullName === "" ? undefined : context?.fullName;
  return { kind: "user", id: `${userId ?? ""} ${username}`, name: name ?? username };
}
