import { events } from "@parley/db";
import { asc, eq, sql } from "drizzle-orm";
import { fromColumns } from "../columns.ts";
import type { Core } from "../context.ts";
import type { ActionRow, AgentRow, ConversationRow, MessageRow } from "../rows.ts";
import { functionsOfTurn, type TurnFunction } from "../turn-functions.ts";
import { skillsOfTurn, type TurnSkill } from "../turn-skills.ts";
import type { ClaimedRun } from "./claimed-run.ts";

/** Positions before the answer that a turn is given; what is older is left out of the prompt. */
const MAX_HISTORY = 500;
/** Text of those messages together, which is more than models take; a claim has 100 turns or more. */
const MAX_HISTORY_BYTES = 8 * 1024 * 1024;

/** Everything that an agent turn starts from. */
export interface Turn {
  readonly conversation: ConversationRow;
  readonly message: MessageRow;
  readonly agent: AgentRow;
  /** Messages before the answer, by position, each in its newest version that has ended. */
  readonly history: readonly MessageRow[];
  /** Tool calls of finished steps; those of the last one may be open. */
  readonly actions: readonly ActionRow[];
  /** Active skills: the agent's own in their order, then those that every agent has, by name. */
  readonly skills: readonly TurnSkill[];
  /** Active functions that the agent may call, in their order. */
  readonly functions: readonly TurnFunction[];
  /** Payloads of the events that earlier attempts published. */
  readonly published: readonly string[];
}

/** The rows that a turn starts from, as JSON of their columns. */
export interface TurnColumns {
  readonly conversation: object;
  readonly message: object;
  readonly agent: object;
  readonly history: object[] | null;
  readonly actions: object[] | null;
  readonly skills: TurnSkill[] | null;
  readonly functions: TurnFunction[] | null;
}

/** Part of the statement that claims: the `TurnColumns` of a claimed agent turn. */
export const turnColumns = sql`
  select json_build_object(
    'conversation', to_json(c),
    'message', to_json(m),
    'agent', to_json(a),
    'history', (
      select json_agg(to_json(recent.h) order by (recent.h).rank, (recent.h).version)
      from (
        select h,
          sum(octet_length(h.content) + coalesce(octet_length(h.chain_of_thought), 0)) over newest
            as bytes,
          row_number() over newest as position
        from messages h
        where h.conversation_id = m.conversation_id
          and h.rank < m.rank and h.rank >= m.rank - ${sql.raw(String(MAX_HISTORY))}
          and h.status is distinct from 'created'
          -- Who is asked together does not hear each other, whoever is done first.
          and h.parent_message_id is distinct from m.parent_message_id
        window newest as (order by h.rank desc, h.version desc)
      ) recent
      -- The message that is answered is always there.
      where recent.bytes <= ${sql.raw(String(MAX_HISTORY_BYTES))} or recent.position = 1
    ),
    'actions', (
      select json_agg(to_json(x) order by x.step, x.position) from actions x
      where x.message_id = m.id
    ),
    'skills', (${skillsOfTurn}),
    'functions', (${functionsOfTurn})
  ) as columns
  from messages m
  join conversations c on c.id = m.conversation_id
  join agents a on a.id = m.agent_id
  where m.sid = claimed.log_id`;

/** Loads the turns of claimed runs, by the runs' logs. What was deleted meanwhile is not there. */
export async function loadTurns(
  core: Core,
  runs: readonly ClaimedRun[],
): Promise<Map<string, Turn>> {
  const turns = new Map<string, Turn>();
  for (const run of runs) {
    if (run.turn === null) continue;
    const history = (run.turn.history ?? []).map((columns) => fromColumns<MessageRow>(columns));
    // Later versions come behind earlier ones and take their place.
    const current = new Map(history.map((message) => [message.rank, message]));
    turns.set(run.logId, {
      conversation: fromColumns(run.turn.conversation),
      message: fromColumns(run.turn.message),
      agent: fromColumns(run.turn.agent),
      history: [...current.values()],
      actions: (run.turn.actions ?? []).map((columns) => fromColumns<ActionRow>(columns)),
      // A skill may be both the agent's own and every agent's.
      skills: [...new Map((run.turn.skills ?? []).map((skill) => [skill.id, skill])).values()],
      functions: run.turn.functions ?? [],
      // What an attempt before this one published until it was taken over is only in its log.
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
