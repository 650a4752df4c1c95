import * as z from "zod";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, optional, Reference } from "../parsing/text.ts";
import { TaskPath } from "./blocked-actions.ts";
import { Cost } from "./consumption.ts";
import { TaskReference } from "./message-events.ts";
import { AgentMessageStatus } from "./messages.ts";

/** Query of the tasks below a conversation. */
export const ListTasks = z.object({
  ...pageByNumber("Tasks"),
  messageId: optional(Reference).describe("Only those below this answer of the conversation"),
});
export type ListTasks = z.output<typeof ListTasks>;

/** A task that an agent has given to another. */
export const Task = TaskReference.extend({
  title: z
    .string()
    .nullable()
    .describe("Title of its conversation: how the task begins")
    .meta({ example: "How many people live in Oslo?" }),
  status: AgentMessageStatus.meta({ description: "Status of its answer", example: "succeeded" }),
  depth: z.int().describe("How many answers have led to it").meta({ example: 1 }),
  path: TaskPath.describe("These answers, from the first one on").meta({ example: [] }),
  actionRequired: z.boolean().describe("Whether one of its calls waits for a person"),
  createdAt: Milliseconds.describe("When it was given"),
  finishedAt: Milliseconds.nullable().describe("When its answer ended; null while it has not"),
  cost: Cost.optional().describe(
    "What its own answer cost, for builders and admins; absent if no provider has counted tokens",
  ),
});
export type Task = z.infer<typeof Task>;

export const TaskPage = z.object({
  tasks: z.array(Task).describe("The tasks, the oldest first: each comes after the one above it"),
  ...pageEnd,
});
export type TaskPage = z.infer<typeof TaskPage>;
