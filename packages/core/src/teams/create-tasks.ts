/**
 * The tasks of a step: conversations below the one whose agent asks, each with a run of its own. They are written in
 * the transaction that saves the step and suspends its turn, so a call has one task, whoever is killed.
 */
import { conversations, type Queryable, users, workspaces } from "@parley/db";
import { type MessageEvent, TaskInput, toStoredFormat } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { AskedBy } from "../calls/calling-turn.ts";
import type { StepCall } from "../calls/prepared-calls.ts";
import type { StartedTask, StepTasks, TaskFaults } from "../calls/task-calls.ts";
import type { Process } from "../context.ts";
import type { ConversationServices } from "../conversations/write-messages.ts";
import type { UserRow } from "../data-access/rows.ts";
import { findSchemaFault } from "../functions/json-schema/validate.ts";
import type { Transaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import type { Turn } from "../turns/load-turns.ts";
import type { TeamLimits, Teammate } from "../turns/turn-team.ts";
import { findTaskFiles, type TaskFile } from "./task-files.ts";
import { writeTasks, type NewTask } from "./write-tasks.ts";

/** What tasks need of a process. */
export type TaskServices = Process & Pick<ConversationServices, "conversationLimits">;

/** A call that asks another agent, with what it says. */
export interface AskingCall {
  readonly call: StepCall;
  readonly mate: Teammate;
  readonly input: TaskInput;
  readonly files: readonly TaskFile[];
}

type Judged = AskingCall | { readonly call: StepCall; readonly fault: string };

interface AskingStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly calls: readonly StepCall[];
}

/** Prepares the tasks of a step; undefined if no call asks another agent. Waits for threads: not for a transaction. */
export async function prepareTasks(
  core: TaskServices,
  { run, turn, calls }: AskingStep,
  limits: TeamLimits,
): Promise<StepTasks | undefined> {
  const mates = new Map(turn.team.map((mate) => [mate.tool, mate]));
  const judged: Judged[] = [];
  for (const call of calls) {
    const mate = mates.get(call.name);
    if (mate?.mode !== "ask" || call.output !== undefined) continue;
    const place = judged.filter((one) => !("fault" in one)).length;
    // oxlint-disable-next-line no-await-in-loop -- of a step, 64 at most, which are seldom of this kind
    judged.push(await judge(core, { turn, call, mate, place }, limits));
  }
  if (judged.length === 0) return undefined;
  const asking = judged.filter((one): one is AskingCall => !("fault" in one));
  return {
    judge: async (db) => {
      const faults = new Map(
        judged.map((one) => [one.call, "fault" in one ? one.fault : undefined]),
      );
      return refuseTooMany(db, { turn, asking, faults }, limits);
    },
    start: (transaction, started, askedBy) =>
      start(core, transaction, { run, turn, asking, started, askedBy }),
  };
}

async function judge(
  core: TaskServices,
  { turn, call, mate, place }: { turn: Turn; call: StepCall; mate: Teammate; place: number },
  limits: TeamLimits,
): Promise<Judged> {
  const refuse = (fault: string): Judged => ({ call, fault });
  if (turn.conversation.depth >= limits.depth) {
    return refuse("Tasks cannot lead to further ones here: answer without asking");
  }
  if (place >= limits.atOnce) {
    return refuse(`At most ${limits.atOnce} tasks may run at once: ask again in a later step`);
  }
  const parsed = TaskInput.safeParse(call.params);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`Invalid task: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
  }
  const input = parsed.data;
  if (input.responseFormat !== undefined) {
    const given = { schema: input.responseFormat.schema, root: "responseFormat.schema" };
    const options = { workspaceId: turn.message.workspaceId, origin: "run" } as const;
    const fault = await findSchemaFault(core.threads, given, options);
    if (fault !== undefined) return refuse(`Invalid task: ${fault.path}: ${fault.message}`);
  }
  const fileIds = [...new Set(input.files)];
  const conversationId = turn.conversation.id;
  const found = await findTaskFiles(core.database.db, { conversationId, fileIds });
  const unknown = fileIds.find((id) => !found.has(id));
  if (unknown !== undefined) return refuse(`This conversation has no file ${unknown}`);
  const texts = [input.task, ...found.values().map(({ content }) => content)];
  if (input.responseFormat !== undefined) texts.push(JSON.stringify(input.responseFormat));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const { conversationLimits } = core;
  // A task has two messages, and the bytes of its format are those with its defaults.
  if (bytes + 100 > conversationLimits.bytes || fileIds.length + 2 > conversationLimits.messages) {
    return refuse("The task is too large, with its files");
  }
  return { call, mate, input, files: fileIds.flatMap((id) => found.get(id) ?? []) };
}

/** Locks the conversation that all tasks come from, and refuses those that are too many. */
async function refuseTooMany(
  db: Queryable,
  {
    turn: { conversation },
    asking,
    faults,
  }: { turn: Turn; asking: readonly AskingCall[]; faults: Map<StepCall, string | undefined> },
  { inAll }: TeamLimits,
): Promise<TaskFaults> {
  if (asking.length === 0) return faults;
  const rootId = conversation.rootId ?? conversation.id;
  await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.id, rootId))
    .for("update");
  const count = await db.$count(conversations, eq(conversations.rootId, rootId));
  const fault = `This conversation has had ${inAll} tasks, which is the most: answer without asking`;
  for (const { call } of asking.slice(Math.max(0, inAll - count))) faults.set(call, fault);
  return faults;
}

async function start(
  core: TaskServices,
  transaction: Transaction,
  {
    run,
    turn,
    asking,
    started,
    askedBy,
  }: {
    readonly run: ClaimedRun;
    readonly turn: Turn;
    readonly asking: readonly AskingCall[];
    readonly started: readonly StartedTask[];
    readonly askedBy: AskedBy;
  },
): Promise<MessageEvent[]> {
  if (started.length === 0) return [];
  const asker = await readAsker(transaction.db, turn, askedBy);
  const tasks = started.flatMap(({ call, action }): NewTask[] => {
    const task = asking.find((one) => one.call === call);
    if (task === undefined) return [];
    const { mate, files, input } = task;
    const { responseFormat } = input;
    const format = responseFormat && { ...toStoredFormat(responseFormat), strict: false };
    return [{ action, agent: mate.agent, task: input.task, files, responseFormat: format ?? null }];
  });
  return writeTasks(core, transaction, { run, turn, asker, askedBy, tasks });
}

/** Whom a task is for, as the instructions of its agent may name them. */
export interface Asker {
  readonly user: UserRow | null;
  readonly workspaceName: string;
}

async function readAsker(
  db: Queryable,
  { message: { workspaceId } }: Turn,
  { userId }: AskedBy,
): Promise<Asker> {
  const [row] = await db
    .select({ user: users, workspaceName: workspaces.name })
    .from(workspaces)
    .leftJoin(users, and(eq(users.workspaceId, workspaces.id), sql`${users.id} = ${userId}`))
    .where(eq(workspaces.id, workspaceId));
  return { user: row?.user ?? null, workspaceName: row?.workspaceName ?? "" };
}
