/** The summary in a turn's prompt. */
import type { CarriedItem } from "@parley/db";
import { sql } from "drizzle-orm";

/** What a turn is given in place of its conversation's oldest messages. */
export interface TurnSummary {
  readonly number: number;
  /** The last position that it replaces. */
  readonly toRank: number;
  readonly text: string;
  readonly carried: readonly CarriedItem[];
}

/**
 * The subquery (to_rank, given) of the `TurnSummary` of a turn: the active one that replaces the most of what is
 * before the message that is answered (`asked`), in the conversation of `m`, for the agent `a`.
 */
export const summaryOfTurn = sql`
  select s.to_rank, json_build_object('number', s.number, 'toRank', s.to_rank, 'text', s.text,
    'carried', s.carried) as given
  from conversation_summaries s
  where s.conversation_id = m.conversation_id and s.status = 'active' and s.to_rank < asked.rank
    and (a.compaction ->> 'enabled') is distinct from 'false'
  order by s.to_rank desc limit 1`;
