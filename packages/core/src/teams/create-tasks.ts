/**
 * The tasks of a step: conversations below the one whose agent asks, each with a run of its own. They are written in
 * the transaction that saves the step and suspends its turn, so a call has one task, whoever is killed.
 */
import { conversations, type Queryable, users, workspaces } from "@parley/db";
import { HandoverInput, TaskInput, toStoredFormat } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { AskedBy } from "../calls/calling-turn.ts";
import type { StepCall } from "../calls/prepared-calls.ts";
import type { StepTasks, TeamCall } from "../calls/task-calls.ts";
import type { Process } from "../context.ts";
import type { ConversationServices } from "../conversations/write-messages.ts";
import { findSchemaFault } from "../functions/json-schema/validate.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import type { Turn } from "../turns/load-turns.ts";
import type { TeamLimits, Teammate } from "../turns/turn-team.ts";
import { findTaskFiles } from "./task-files.ts";
import { countHandovers, findNoRoom, type Handover, writeHandover } from "./write-handover.ts";
import { type Asker, idsOfTask, type NewTask, writeTasks } from "./write-tasks.ts";

/** What tasks need of a process. */
export type TaskServices = Process & Pick<ConversationServices, "conversationLimits">;

/** A call that uses another agent, with what it says. */
type TeamUse =
  | ({ readonly mode: "ask"; readonly call: StepCall } & Omit<NewTask, "action">)
  | ({ readonly mode: "handover"; readonly call: StepCall } & Handover);

type Judged = TeamUse | { readonly call: StepCall; readonly fault: string };

interface AskingStep {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly calls: readonly StepCall[];
}

/**
 * Prepares what a step does with other agents; undefined if no call uses one. Waits for threads: not for a
 * transaction.
 */
export async function prepareTasks(
  core: TaskServices,
  { run, turn, calls }: AskingStep,
  limits: TeamLimits,
): Promise<StepTasks | undefined> {
  const mates = new Map(turn.team.map((mate) => [mate.tool, mate]));
  const judged: Judged[] = [];
  for (const call of calls) {
    const mate = mates.get(call.name);
    if (mate === undefined || call.output !== undefined) continue;
    const place = judged.filter((one) => "mode" in one && one.mode === mate.mode).length;
    const given = { turn, call, mate, place };
    // oxlint-disable-next-line no-await-in-loop -- of a step, 64 at most, which are seldom of this kind
    judged.push(
      mate.mode === "ask" ? await judgeTask(core, given, limits) : await judgeHandover(core, given),
    );
  }
  if (judged.length === 0) return undefined;
  const uses = judged.filter((one): one is TeamUse => !("fault" in one));
  return {
    judge: async (db) => {
      const found = new Map(judged.map((one) => [one.call, firstState(one)]));
      for (const [call, text] of await refuseTooMany(core, db, { run, turn, uses, limits })) {
        found.set(call, { status: "errored", text });
      }
      return found;
    },
    start: async (transaction, started, askedBy) => {
      if (started.length === 0) return { ofMessage: [], ofConversation: [] };
      const asker = await readAsker(transaction.db, turn, askedBy);
      const asking = { run, turn, asker, askedBy };
      const tasks = started.flatMap(({ call, action }) => {
        const use = uses.find((one) => one.call === call);
        return use?.mode === "ask" ? [{ ...use, action }] : [];
      });
      const handover = uses.find(
        (one) => one.mode === "handover" && started.some(({ call }) => call === one.call),
      );
      return {
        ofMessage: await writeTasks(core, transaction, asking, tasks),
        ofConversation:
          handover?.mode === "handover"
            ? await writeHandover(core, transaction, asking, handover)
            : [],
      };
    },
  };
}

function firstState(one: Judged): TeamCall {
  if ("fault" in one) return { status: "errored", text: one.fault };
  if (one.mode === "ask") return { status: "running" };
  return { status: "succeeded", text: `${one.agent.name} answers from here on` };
}

interface Given {
  readonly turn: Turn;
  readonly call: StepCall;
  readonly mate: Teammate;
  /** How many calls before it in the step use other agents as it does. */
  readonly place: number;
}

async function judgeHandover(
  core: TaskServices,
  { turn, call, mate: { agent }, place }: Given,
): Promise<Judged> {
  const refuse = (fault: string): Judged => ({ call, fault });
  if (turn.conversation.depth > 0) return refuse("A task is answered by the agent that was asked");
  if (place > 0) return refuse("The answer is handed over already");
  const parsed = HandoverInput.safeParse(call.params);
  if (!parsed.success) return refuse(describe(parsed.error.issues));
  const ids = await core.takeRowIds(2);
  return { mode: "handover", call, agent, message: parsed.data.message, ids };
}

async function judgeTask(
  core: TaskServices,
  { turn, call, mate: { agent }, place }: Given,
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
  if (!parsed.success) return refuse(describe(parsed.error.issues));
  const { task, files: named, responseFormat } = parsed.data;
  if (responseFormat !== undefined) {
    const given = { schema: responseFormat.schema, root: "responseFormat.schema" };
    const options = { workspaceId: turn.message.workspaceId, origin: "run" } as const;
    const fault = await findSchemaFault(core.threads, given, options);
    if (fault !== undefined) return refuse(describe([fault]));
  }
  const format = responseFormat && { ...toStoredFormat(responseFormat), strict: false };
  const fileIds = [...new Set(named)];
  const conversationId = turn.conversation.id;
  const found = await findTaskFiles(core.database.db, { conversationId, fileIds });
  const unknown = fileIds.find((id) => !found.has(id));
  if (unknown !== undefined) return refuse(`This conversation has no file ${unknown}`);
  const texts = [task, JSON.stringify(format ?? null), ...found.values().map((one) => one.content)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const { conversationLimits } = core;
  if (bytes > conversationLimits.bytes || fileIds.length + 2 > conversationLimits.messages) {
    return refuse("The task is too large, with its files");
  }
  const files = fileIds.flatMap((id) => found.get(id) ?? []);
  const ids = await core.takeRowIds(idsOfTask(files));
  return { mode: "ask", call, agent, task, files, responseFormat: format ?? null, ids };
}

interface Fault {
  readonly path: string | readonly PropertyKey[];
  readonly message: string;
}

function describe([issue]: readonly Fault[]): string {
  if (issue === undefined) return "The parameters are invalid";
  const path = typeof issue.path === "string" ? issue.path : issue.path.map(String).join(".");
  return `${path}: ${issue.message}`;
}

/** Locks the conversation that all tasks come from, and refuses what is too much. */
async function refuseTooMany(
  core: TaskServices,
  db: Queryable,
  given: { run: ClaimedRun; turn: Turn; uses: readonly TeamUse[]; limits: TeamLimits },
): Promise<Map<StepCall, string>> {
  const { run, turn, uses, limits } = given;
  const { depth, inAll } = limits;
  const { conversation } = turn;
  const faults = new Map<StepCall, string>();
  if (uses.length === 0) return faults;
  const rootId = conversation.rootId ?? conversation.id;
  await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.id, rootId))
    .for("update");
  const asking = uses.filter(({ mode }) => mode === "ask");
  if (asking.length > 0) {
    const count = await db.$count(conversations, eq(conversations.rootId, rootId));
    const fault = `This conversation has had ${inAll} tasks, which is the most: answer without asking`;
    for (const { call } of asking.slice(Math.max(0, inAll - count))) faults.set(call, fault);
  }
  const handover = uses.find(({ mode }) => mode === "handover");
  if (handover?.mode === "handover") {
    const isTooMany = (await countHandovers(db, run.logId)) >= depth;
    const full = await findNoRoom(db, core, turn, handover);
    const fault = isTooMany ? "The message was handed over too often: answer it" : full;
    if (fault !== undefined) faults.set(handover.call, fault);
  }
  return faults;
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
