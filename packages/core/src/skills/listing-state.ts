import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { mayReachSpace } from "../access/space-reach.ts";
import type { Context, WorkspaceCaller } from "../context.ts";
import { createCoalescedReads } from "../data-access/coalesced-reads.ts";
import type { AnswerState } from "../implementation.ts";

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
 * Reads the version of a caller's lists of skills. It covers all that a list depends on beside its
 * input: what `listSkills` reads of its caller belongs in `access`, and the tables that it reads need the
 * triggers of `version`.
 */
export interface SkillStates {
  /** Reads after the call; concurrent callers share a statement. */
  read(caller: WorkspaceCaller): Promise<AnswerState>;
}

/** What lists of skills need of a process. */
export interface SkillServices {
  readonly skillStates: SkillStates;
}

export function createSkillStates(db: Queryable): SkillStates {
  const read = async (callers: readonly WorkspaceCaller[]) => {
    const workspaces = new Map(
      callers.map(({ apiKey, workspace }) => [apiKey.id, workspace.id] as const),
    );
    const keys = [...workspaces].map(([key_id, workspace_id]) => ({ key_id, workspace_id }));
    const rows = await stateStatement.execute(db, { keys: JSON.stringify(keys) });
    const states = new Map(rows.map((row) => [Number(row.key_id), row]));
    return (caller: WorkspaceCaller): AnswerState => {
      const { apiKey, user } = caller;
      const row = states.get(apiKey.id);
      if (row === undefined) throw new Error(`There is no state for the key ${apiKey.id}`);
      const spaces = row.spaces.split(",").filter((id) => mayReachSpace(caller, Number(id)));
      // Each builder may be the editor of other skills.
      const role = apiKey.role === "builder" ? `builder ${user.id}` : apiKey.role;
      return { version: row.version, access: `${role}; ${spaces.join(",")}` };
    };
  };
  return { read: createCoalescedReads(read, MAX_CALLERS) };
}

/** Reads the version of the lists of skills that the caller would get. */
export function readSkillState({
  skillStates,
  caller,
}: Context & SkillServices): Promise<AnswerState> {
  return skillStates.read(caller);
}
