import type { ConversationEvent, MessageEvent, StoredResponseFormat } from "@parley/schema";
import type { BriefAgent } from "../agents/agents.ts";
import type { AskedBy } from "../calls/calling-turn.ts";
import type { Process } from "../context.ts";
import { deriveTitle } from "../conversations/titles.ts";
import { freezeValues } from "../conversations/freeze-values.ts";
import { buildEvents, emptyMessage, type NewTurn } from "../conversations/new-messages.ts";
import { insertConversations, type NewConversation } from "../conversations/write-messages.ts";
import type { ActionRow, MessageRow, UserRow } from "../data-access/rows.ts";
import type { Transaction } from "../log/transaction.ts";
import { addToSize, type ConversationLimits } from "../messages/conversation-size.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { traceparentOf } from "../runs/span-ids.ts";
import type { Turn } from "../turns/load-turns.ts";
import type { TaskFile } from "./task-files.ts";

/** A task that is about to be written. */
export interface NewTask {
  readonly action: ActionRow;
  readonly agent: BriefAgent;
  readonly task: string;
  readonly files: readonly TaskFile[];
  readonly responseFormat: StoredResponseFormat | null;
  /** Numbers of its conversation and messages; taken outside the transaction that writes them. */
  readonly ids: readonly number[];
}

/** How many numbers a task takes: of its conversation, of a message for each file, of its question and its answer. */
export const idsOfTask = (files: readonly TaskFile[]): number => files.length + 3;

/** Whom a turn answers, as the instructions of other agents may name them. */
export interface Asker {
  readonly user: UserRow | null;
  readonly workspaceName: string;
}

/** A turn that uses other agents. */
export interface AskingTurn {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly asker: Asker;
  readonly askedBy: AskedBy;
}

type Services = Process & { readonly conversationLimits: ConversationLimits };

/** Writes the conversations of tasks with their runs, and gives the events that refer to them. */
export async function writeTasks(
  core: Services,
  { db, afterCommit }: Transaction,
  asking: AskingTurn,
  tasks: readonly NewTask[],
): Promise<MessageEvent[]> {
  if (tasks.length === 0) return [];
  const { run, turn } = asking;
  const built = tasks.map((task) => buildTask(core, asking, task));
  await insertConversations(db, built, afterCommit);
  afterCommit.push({ topic: "runs", cause: "added", kind: "agent_turn" });
  return built.map(({ conversation, turns: [answer] }, index): MessageEvent => ({
    type: "agent_task_started",
    created: conversation.createdAt,
    configurationId: turn.agent.sid,
    messageId: run.logId,
    step: tasks[index]?.action.step ?? 0,
    actionId: tasks[index]?.action.sid ?? "",
    task: {
      conversationId: conversation.sid,
      messageId: answer?.message.sid ?? "",
      agentId: answer?.agent.sid ?? "",
      agentName: answer?.agent.name ?? "",
    },
  }));
}

/** What the one who asked wants to be left out is left out by those who are asked for them. */
export const keptTags = ({ excludedRetrievalTags: tags }: AskedBy) =>
  tags.length === 0 ? {} : { excludedRetrievalTags: [...tags] };

/** A task shares the owner, the space and the visibility of the conversation whose agent asks. */
function buildTask(
  core: Services,
  { run, turn, asker, askedBy }: AskingTurn,
  { action, agent, task, files, responseFormat, ids: [id = 0, ...messageIds] }: NewTask,
): NewConversation {
  const { conversation: parent, message: asking } = turn;
  const { workspaceId } = asking;
  const now = core.now();
  const sid = core.newId();
  const row = (index: number, columns: Partial<MessageRow>): MessageRow => ({
    ...emptyMessage(core, {
      id: messageIds[index] ?? 0,
      workspaceId,
      conversationId: id,
      rank: index,
    }),
    ...columns,
  });
  const context = {
    username: turn.agent.name,
    timezone: askedBy.timezone ?? "UTC",
    ...keptTags(askedBy),
  };
  const fragments = files.map(({ content, fragment }, index) =>
    row(index, { type: "content_fragment", content, fragment, context }),
  );
  const userMessage = row(files.length, {
    type: "user_message",
    content: task,
    context: {
      ...context,
      agenticMessageData: { type: "run_agent", originMessageId: asking.sid },
    },
    userId: askedBy.userId,
    mentions: [{ configurationId: agent.sid }],
  });
  const { user, workspaceName } = asker;
  const caller = { workspace: { name: workspaceName } };
  const answer: NewTurn = {
    agent,
    payer: { apiKeyId: run.apiKeyId, userId: run.userId },
    parentLogId: run.logId,
    // As those of the run that asks.
    reachedSpaceIds: undefined,
    origin: originWithin(run, "call", action.sid),
    message: row(files.length + 1, {
      type: "agent_message",
      agentId: agent.id,
      parentMessageId: userMessage.sid,
      status: "created",
      responseFormat,
      promptValues: freezeValues({ caller, now: core.now }, agent, {
        conversation: { sid },
        user: user ?? nobody,
        context: userMessage.context,
      }),
      skipToolsValidation: asking.skipToolsValidation,
      clientServerIds: asking.clientServerIds,
    }),
  };
  const messages = [...fragments, userMessage, answer.message];
  const empty = { messageCount: 0, messageBytes: 0 };
  const size = addToSize(core.conversationLimits, empty, { added: messages, path: "task" });
  const events: ConversationEvent[] =
    user === null ? [] : buildEvents({ userMessage, turns: [answer] }, user);
  return {
    conversation: {
      id,
      sid,
      workspaceId,
      spaceId: parent.spaceId,
      apiKeyId: parent.apiKeyId,
      ownerId: parent.ownerId,
      title: deriveTitle(task),
      visibility: parent.visibility,
      createdAt: now,
      updatedAt: now,
      readAt: now,
      ...size,
      parentActionId: action.id,
      rootId: parent.rootId ?? parent.id,
      depth: parent.depth + 1,
    },
    messages,
    files: [],
    events,
    turns: [answer],
  };
}

/** In place of a user whom the values of instructions may name. */
export const nobody = { username: "", fullName: "", email: "", externalId: null };

/** The request that a run comes from, as that of one that it leads to: its spans are below one of the run's. */
export function originWithin(
  run: Pick<ClaimedRun, "logId" | "requestId" | "traceparent">,
  kind: "call" | "answer",
  key?: string,
): NewTurn["origin"] {
  const traceparent = traceparentOf(run, kind, key === undefined ? {} : { key });
  return { requestId: run.requestId ?? undefined, traceparent, depth: 0 };
}
