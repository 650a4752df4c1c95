import { actions, conversations, messages, type Queryable, runs } from "@parley/db";
import { and, asc, eq } from "drizzle-orm";
import { askUserTool } from "../calls/ask-user.ts";
import type { RunRow } from "../data-access/rows.ts";
import type { TracedAnswer } from "./traced-rows.ts";

/** The run of a task, with the call that it is of. */
export interface TaskRun {
  readonly actionSid: string;
  readonly run: RunRow;
}

/** Reads the runs of the tasks of an answer, in order; nothing is read if no call can have one. */
export async function readTasks(
  db: Queryable,
  { run: { logId }, calls }: Pick<TracedAnswer, "run" | "calls">,
  limit: number,
): Promise<TaskRun[]> {
  const mayAsk = calls.some(({ functionCallName: name, invocation }) => {
    return invocation === null && name.startsWith("ask_") && name !== askUserTool.name;
  });
  if (!mayAsk || limit <= 0) return [];
  return db
    .select({ actionSid: actions.sid, run: runs })
    .from(runs)
    .innerJoin(messages, eq(messages.sid, runs.logId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .innerJoin(actions, and(eq(actions.id, conversations.parentActionId), eq(actions.logId, logId)))
    .where(eq(runs.parentLogId, logId))
    .orderBy(asc(runs.id))
    .limit(limit);
}
