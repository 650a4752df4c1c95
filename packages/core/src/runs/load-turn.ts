import { conversations, events, messages } from "@parley/db";
import { and, asc, eq, lt } from "drizzle-orm";
import { findAgentVersions } from "../agents.ts";
import type { Core } from "../context.ts";
import { readMessages } from "../read-messages.ts";
import type { ActionRow, AgentRow, ConversationRow, MessageRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";

/** Everything that an agent turn starts from. */
export interface Turn {
  readonly conversation: ConversationRow;
  readonly message: MessageRow;
  readonly agent: AgentRow;
  /** Messages before the answer, by position, each in its current version. */
  readonly history: readonly MessageRow[];
  /** Tool calls of finished steps. */
  readonly actions: readonly ActionRow[];
  /** Payloads of the events that earlier attempts published. */
  readonly published: readonly string[];
}

/** Loads the turn of a claimed run. Throws when its message is gone. */
export async function loadTurn(core: Core, run: ClaimedRun): Promise<Turn> {
  const { db } = core.database;
  const [row] = await db
    .select({ conversation: conversations })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(eq(messages.id, run.subjectId));
  if (row === undefined) throw new Error(`Run ${run.id} has no message ${run.subjectId}`);
  const { conversation } = row;
  const read = await readMessages(db, conversation.id);
  const message = read.messages.find((candidate) => candidate.id === run.subjectId);
  if (message === undefined) throw new Error(`Run ${run.id} has no message ${run.subjectId}`);
  const agentId = message.agentId ?? 0;
  const agents = await findAgentVersions(db, conversation.workspaceId, [agentId]);
  const agent = agents.get(agentId);
  if (agent === undefined) throw new Error(`Message ${message.sid} has no agent ${agentId}`);
  const earlier = read.messages.filter((candidate) => candidate.rank < message.rank);
  const current = new Map(earlier.map((candidate) => [candidate.rank, candidate]));
  return {
    conversation,
    message,
    agent,
    history: [...current.values()],
    actions: read.actions.get(message.id) ?? [],
    published: run.attempt > 1 ? await readPublished(core, run) : [],
  };
}

async function readPublished(core: Core, run: ClaimedRun): Promise<string[]> {
  const rows = await core.database.db
    .select({ payload: events.payload })
    .from(events)
    .where(and(eq(events.logId, run.logId), lt(events.seq, MAX_PUBLISHED)))
    .orderBy(asc(events.seq));
  return rows.map((row) => row.payload);
}

/** No turn publishes more events than this: it bounds what a takeover reads. */
const MAX_PUBLISHED = 1_000_000;
