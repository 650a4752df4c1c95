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

/**
 * Reads the state of the lists of skills that a caller would now get; callers that come together
 * share a statement. All that a list depends on beside its input is in it: whatever `listSkills` comes to
 * ask about its caller belongs into `access`, whatever else it reads under the triggers of `version`.
 */
export function createSkillStates(
  db: Queryable,
): (caller: WorkspaceCaller) => Promise<AnswerState> {
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
  return createSharedReads(read, MAX_CALLERS);
}

/**
 * Gives what reads of what the lists of skills are made of that the caller would then get. It keeps
 * nothing of the request.
 */
export function skillStateReader({ readSkillState, caller }: Context): () => Promise<AnswerState> {
  return () => readSkillState(caller);
}
