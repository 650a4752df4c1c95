import { statement } from "@parley/db";
import type { ListTasks, Task, TaskPage } from "@parley/schema";
import { sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import { taskPath } from "../calls/task-path.ts";
import type { Context } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import { consumedByAnswer, costOfOne, type CostSums } from "../messages/consumption-sums.ts";
import { costOf } from "./consumption.ts";

interface TaskRow extends Omit<Task, "cost">, CostSums {
  readonly id: number;
}

type Below = {
  readonly conversationId: number;
  readonly rootId: number;
  readonly messageId: string | null;
  readonly after: number;
  readonly limit: number;
};

const rootId = sql`${sql.placeholder("rootId")}::bigint`;

// From the top down: the conversation may be a task itself.
const tasksStatement = statement<Below, TaskRow>(
  "list_tasks",
  sql`
  with recursive below (id) as (
    select c.id from conversations c join actions x on x.id = c.parent_action_id
    join messages m on m.id = x.message_id
    where c.root_id = ${rootId} and m.conversation_id = ${sql.placeholder("conversationId")}::bigint
      and m.sid = coalesce(${sql.placeholder("messageId")}::text, m.sid)
    union all
    select c.id from below join messages m on m.conversation_id = below.id
    join actions x on x.message_id = m.id
    join conversations c on c.parent_action_id = x.id and c.root_id = ${rootId}
  )
  select c.id::float8 as id, c.sid as "conversationId", m.sid as "messageId", a.sid as "agentId", a.name as "agentName",
    c.title, m.status, c.depth, ${taskPath(sql`m.sid`)} as path,
    m.status = 'created' and exists (
      select from actions w where w.message_id = m.id and ${waitsForPerson(sql`w.status`)}) as "actionRequired",
    c.created_at::float8 as "createdAt", m.finished_at::float8 as "finishedAt", ${costOfOne}
  from below join conversations c on c.id = below.id
  join messages m on m.conversation_id = c.id and m.type = 'agent_message' join agents a on a.id = m.agent_id
  ${consumedByAnswer}
  where c.id > ${sql.placeholder("after")}::bigint
  order by c.id limit ${sql.placeholder("limit")}::int`,
);

/** Lists the tasks below a conversation, or below one of its answers, the oldest first, a page at a time. */
export async function listTasks(
  context: Context,
  { cId, messageId, limit, lastValue }: ListTasks & { readonly cId: string },
): Promise<TaskPage> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, cId);
  const rows = await tasksStatement.execute(db, {
    conversationId: conversation.id,
    rootId: conversation.rootId ?? conversation.id,
    messageId: messageId ?? null,
    after: Number(lastValue ?? 0),
    limit: limit + 1,
  });
  const { page, end } = takePage(rows, { limit }, ({ id }) => id);
  const tasks = page.map(({ id: _id, amount, unpricedCalls, ...task }) => ({
    ...task,
    ...costOf(context, { amount, unpricedCalls }),
  }));
  return { tasks, ...end };
}
