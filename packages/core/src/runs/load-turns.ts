import { events, statement } from "@parley/db";
import { asc, eq, sql } from "drizzle-orm";
import { fromColumns } from "../columns.ts";
import type { Core } from "../context.ts";
import type { ActionRow, AgentRow, ConversationRow, MessageRow } from "../rows.ts";
import type { ClaimedRun } from "./claim-runs.ts";

/** Positions before the answer that a turn is given; what is older is left out of the prompt. */
const MAX_HISTORY = 500;

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

interface LoadedColumns {
  readonly conversation: object;
  readonly message: object & { sid: string };
  readonly agent: object;
  readonly history: object[] | null;
  readonly actions: object[] | null;
}

const loadStatement = statement<{ logIds: string }, LoadedColumns>(
  "load_turns",
  sql`
  select to_json(c) as conversation, to_json(m) as message, to_json(a) as agent,
    (
      select json_agg(to_json(h) order by h.rank, h.version) from messages h
      where h.conversation_id = m.conversation_id
        and h.rank < m.rank and h.rank >= m.rank - ${sql.raw(String(MAX_HISTORY))}
    ) as history,
    (
      select json_agg(to_json(x) order by x.step, x.position) from actions x
      where x.message_id = m.id
    ) as actions
  from messages m
  join conversations c on c.id = m.conversation_id
  join agents a on a.id = m.agent_id
  where m.sid in (select value from json_array_elements_text(${sql.placeholder("logIds")}::json))`,
);

/** Loads the turns of claimed runs, by the runs' logs. What was deleted meanwhile is not there. */
export async function loadTurns(
  core: Core,
  runs: readonly ClaimedRun[],
): Promise<Map<string, Turn>> {
  const logIds = JSON.stringify(runs.map((run) => run.logId));
  const rows = await loadStatement.execute(core.database.db, { logIds });
  const byLog = new Map(rows.map((row) => [row.message.sid, row]));
  const turns = new Map<string, Turn>();
  for (const run of runs) {
    const row = byLog.get(run.logId);
    if (row === undefined) continue;
    const history = (row.history ?? []).map((columns) => fromColumns<MessageRow>(columns));
    // Later versions come behind earlier ones and take their place.
    const current = new Map(history.map((message) => [message.rank, message]));
    turns.set(run.logId, {
      conversation: fromColumns(row.conversation),
      message: fromColumns(row.message),
      agent: fromColumns(row.agent),
      history: [...current.values()],
      actions: (row.actions ?? []).map((columns) => fromColumns<ActionRow>(columns)),
      published: run.attempt > 1 ? await readPublished(core, run) : [],
    });
  }
  return turns;
}

async function readPublished(core: Core, run: ClaimedRun): Promise<string[]> {
  const rows = await core.database.db
    .select({ payload: events.payload })
    .from(events)
    .where(eq(events.logId, run.logId))
    .orderBy(asc(events.seq));
  return rows.map((row) => row.payload);
}
