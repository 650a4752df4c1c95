import type { Task } from "@parley/schema";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { readPages } from "../connection/read-pages.ts";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("conversations.listTasks", {
  many: "tasks",
  one: "task",
  open: connect,
  nameOf: ({ agentName }) => agentName,
});

/** Makes the command that lists the tasks below a conversation. */
export const createTasksCommand = (context: Context) =>
  listCommand(context, noun, {
    name: "tasks",
    about: "list the tasks that agents have given to others, each below the one that it comes from",
    of: "conversation",
    filters: inputOf("conversations.listTasks", ["limit", "lastValue"]),
    read: async function* ({ parley }, filters, conversationId) {
      const tasks: Task[] = [];
      const read = async (place: { limit?: number; lastValue?: string | undefined }) =>
        parley.conversations.listTasks({ ...filters, ...place, conversationId });
      for await (const task of readPages(read, (page) => page.tasks)) tasks.push(task);
      yield* asTree(tasks);
    },
    columns: {
      AGENT: ({ agentName, depth }) => "· ".repeat(depth - 1) + agentName,
      STATUS: ({ status, actionRequired }) => (actionRequired ? "waits" : status),
      COST: ({ cost }) => cost && `${cost.amount} ${cost.currency}`,
      CREATED: ({ createdAt }) => shortTime(createdAt),
      CONVERSATION: ({ conversationId }) => conversationId,
      TASK: ({ title }) => title,
    },
  });

/** Tasks from the top down, each followed by those below it. */
function asTree(tasks: readonly Task[]): Task[] {
  const askedBy = ({ path }: Task) => path.at(-1)?.messageId ?? "";
  const below = Map.groupBy(tasks, askedBy);
  const withBelow = (task: Task): Task[] => [
    task,
    ...(below.get(task.messageId) ?? []).flatMap(withBelow),
  ];
  const listed = new Set(tasks.map(({ messageId }) => messageId));
  return tasks.filter((task) => !listed.has(askedBy(task))).flatMap(withBelow);
}
