import { type Queryable, statement } from "@parley/db";
import type { TaskPath } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";

/** Answers that are looked at from a task up to the first one; it has at most as many tasks above it. */
const MAX_UP = 8;

/** The subquery that gives the `TaskPath` of the answer of a task with this log; null for any other. */
export const taskPath = (logId: SQL): SQL => sql`(
  with recursive up (log_id, place) as (
    select r.parent_log_id, 1 from runs r where r.log_id = ${logId} and r.parent_log_id is not null
    union all
    select r.parent_log_id, up.place + 1 from up join runs r on r.log_id = up.log_id
    where r.parent_log_id is not null and up.place < ${sql.raw(String(MAX_UP))}
  )
  select json_agg(json_build_object('conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid, 'agentName', a.name)
    order by up.place desc)
  from up join messages m on m.sid = up.log_id join conversations c on c.id = m.conversation_id
  join agents a on a.id = m.agent_id)`;

const pathStatement = statement<{ logId: string }, { readonly path: TaskPath | null }>(
  "read_task_path",
  sql`select ${taskPath(sql`${sql.placeholder("logId")}::text`)} as path`,
);

/** Reads which answers have led to a task, from the first one on. */
export async function readTaskPath(db: Queryable, logId: string): Promise<TaskPath> {
  const [row] = await pathStatement.execute(db, { logId });
  return row?.path ?? [];
}
