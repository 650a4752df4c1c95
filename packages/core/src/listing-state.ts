import { setTimeout as delay } from "node:timers/promises";
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Context, WorkspaceCaller } from "./context.ts";
import { createSharedReads } from "./shared-reads.ts";

/**
 * What an answer was made of. Answers to one input are the same while both are: `version` changes
 * with the data, and callers of one `access` see the same of it.
 */
export interface AnswerState {
  readonly version: string;
  readonly access: string;
}

interface StateRow {
  readonly key_id: string | number;
  readonly version: string;
  readonly spaces: string;
}

const stateStatement = statement<{ keys: string }, StateRow>(
  "read_skill_states",
  sql`
  select k.key_id, coalesce(v.version, 0)::text as version,
    coalesce((select string_agg(s.space_id::text, ',' order by s.space_id)
      from api_key_spaces s where s.api_key_id = k.key_id), '') as spaces
  from json_to_recordset(${sql.placeholder("keys")}::json) as k(key_id bigint, workspace_id bigint)
  left join skill_versions v on v.workspace_id = k.workspace_id`,
);

const MAX_CALLERS = 1000;
/** How old the state may be by which a kept list is sent again, in ms. */
const RECENT_MS = 10;

/**
 * The state of the lists of skills that a caller would get. All that a list depends on beside its
 * input is in it: whatever `listSkills` comes to ask about its caller belongs into `access`, whatever
 * else it reads under the triggers of `version`.
 */
export interface SkillStates {
  /** Reads it after the call; callers that come together share a statement. */
  read(caller: WorkspaceCaller): Promise<AnswerState>;
  /** Gives what was read after the call or up to 10 ms before it. */
  recent(caller: WorkspaceCaller): Promise<AnswerState>;
}

/**
 * Waits until no process holds a state from before the call to be recent. Who changes what lists show
 * calls it after the commit and before the answer, so that the next request sees the change.
 */
export async function outliveRecentStates(): Promise<void> {
  // A timer counts from when the event loop last looked at the clock, so it may be early.
  const until = performance.now() + RECENT_MS;
  for (let left = RECENT_MS; left > 0; left = until - performance.now()) {
    await delay(Math.ceil(left));
  }
}

export function createSkillStates(db: Queryable): SkillStates {
  const read = async (callers: readonly WorkspaceCaller[]) => {
    const workspaces = new Map(
      callers.map(({ apiKey, workspace }) => [apiKey.id, workspace.id] as const),
    );
    const keys = [...workspaces].map(([key_id, workspace_id]) => ({ key_id, workspace_id }));
    const rows = await stateStatement.execute(db, { keys: JSON.stringify(keys) });
    const states = new Map(rows.map((row) => [Number(row.key_id), row]));
    return ({ apiKey, user }: WorkspaceCaller): AnswerState => {
      const row = states.get(apiKey.id);
      if (row === undefined) throw new Error(`There is no state for the key ${apiKey.id}`);
      // Of builders, each may be an editor of other skills.
      const who = apiKey.role === "builder" ? `builder ${user.id}` : apiKey.role;
      return { version: row.version, access: `${who}; ${row.spaces}` };
    };
  };
  const ask = createSharedReads(read, MAX_CALLERS);
  const asked = new WeakMap<WorkspaceCaller, { at: number; state: Promise<AnswerState> }>();
  const readAnew = (caller: WorkspaceCaller): Promise<AnswerState> => {
    const at = performance.now();
    const state = ask(caller);
    asked.set(caller, { at, state });
    return state;
  };
  return {
    read: readAnew,
    recent: (caller) => {
      const last = asked.get(caller);
      if (last === undefined || performance.now() - last.at >= RECENT_MS) return readAnew(caller);
      return last.state;
    },
  };
}

/** The states of an answer for one caller, as `SkillStates` has them. */
export interface StateReader {
  readonly read: () => Promise<AnswerState>;
  readonly recent: () => Promise<AnswerState>;
}

/** Gives what reads the state of the lists of skills for the caller. It keeps nothing of the request. */
export function skillStateReader({ skillStates, caller }: Context): StateReader {
  return { read: () => skillStates.read(caller), recent: () => skillStates.recent(caller) };
}
