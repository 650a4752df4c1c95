import { type Queryable, statement } from "@parley/db";
import type { MessageEvent, TaskPath } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { ActionRow, ConversationRow } from "../data-access/rows.ts";
import type { Append } from "../log/append.ts";

/** Answers that are looked at from a task up to the first one; it has at most as many tasks above it. */
const MAX_UP = 8;

/** The subquery that gives the `TaskPath` of the answer of a task with this log; null for any other. */
export const taskPath = (logId: SQL): SQL => sql`(
  with recursive up (log_id, below, place) as (
    select r.parent_log_id, r.log_id, 1 from runs r where r.log_id = ${logId} and r.parent_log_id is not null
    union all
    select r.parent_log_id, r.log_id, up.place + 1 from up join runs r on r.log_id = up.log_id
    where r.parent_log_id is not null and up.place < ${sql.raw(String(MAX_UP))}
  )
  select json_agg(json_build_object('conversationId', c.sid, 'messageId', m.sid, 'agentId', a.sid, 'agentName', a.name,
    'actionId', x.sid, 'step', x.step) order by up.place desc)
  from up join messages m on m.sid = up.log_id join conversations c on c.id = m.conversation_id
  join agents a on a.id = m.agent_id
  join messages task on task.sid = up.below join conversations of_task on of_task.id = task.conversation_id
  left join actions x on x.id = of_task.parent_action_id and x.log_id = up.log_id)`;

const pathStatement = statement<{ logId: string }, { readonly path: TaskPath | null }>(
  "read_task_path",
  sql`select ${taskPath(sql`${sql.placeholder("logId")}::text`)} as path`,
);

/** Reads which answers have led to a task, from the first one on. */
export async function readTaskPath(db: Queryable, logId: string): Promise<TaskPath> {
  const [row] = await pathStatement.execute(db, { logId });
  return row?.path ?? [];
}

/** Where a task is told of whose calls wait: the answer that was asked first, and its conversation. */
export interface TaskRoot {
  readonly path: TaskPath;
  readonly conversationId: string;
  readonly messageId: string;
  /** Its agent. */
  readonly agentId: string;
  /** Its step that has led to the task. */
  readonly step: number;
}

/** Reads the first answer above a task; undefined, and nothing is read, for what is none. */
export async function readTaskRoot(
  db: Queryable,
  { depth }: Pick<ConversationRow, "depth">,
  logId: string,
): Promise<TaskRoot | undefined> {
  if (depth === 0) return undefined;
  const path = await readTaskPath(db, logId);
  // An answer that was handed over has ended: the last one of the conversation is under way.
  const root = path.findLast(({ conversationId }) => conversationId === path[0]?.conversationId);
  if (root === undefined) return undefined;
  const { conversationId, messageId, agentId, step } = root;
  return { path, conversationId, messageId, agentId, step: step ?? 0 };
}

/** Tells the first answer that calls of a task no longer wait. */
export function announceDecided(
  { messageId, agentId: configurationId, step }: TaskRoot,
  calls: readonly Pick<ActionRow, "sid" | "status">[],
  created: number,
): Append {
  const events = calls.map(({ sid: actionId, status }): MessageEvent => {
    return {
      type: "agent_task_call_decided",
      created,
      configurationId,
      messageId,
      step,
      actionId,
      status,
    };
  });
  return { logId: messageId, events };
}
