/**
 * Retention of the versions of agents, functions and skills. A version goes once it is not among the newest of its
 * agent, function or skill, was replaced long enough ago, and nothing that is stored is of it. What it took is given
 * back to the meter: docs/decisions/versions-stay-in-use.md.
 */
import { type Statement, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { rowBytesOf, versionTables } from "./size-statements.ts";
import type { StorageServices } from "./storage-meter.ts";

/** What has versions. */
export type VersionKind = "agent" | "function" | "skill";

const OWNERS_AT_ONCE = 500;
/** Versions that a statement looks at, of all its owners: those in use stay, and may be any number. */
const VERSIONS_AT_ONCE = 1000;
const DELETED_AT_ONCE = 100;
/**
 * Rows that a process writes from what it read a moment ago may be of a version that was replaced in the meantime. No
 * request takes as long.
 */
const LATE_MS = 3_600_000;

/** Where it continues: at an owner, after one of its versions. */
interface Place {
  readonly owner: number;
  readonly version: number;
}

const FIRST: Place = { owner: 0, version: -1 };

interface Values extends Place, Record<string, unknown> {
  /** Versions that were replaced from then on stay. */
  readonly before: number;
  /** How many of the newest stay. */
  readonly kept: number;
}

interface Swept {
  /** What was looked at last: an owner, without a version if it has no more; null after the last of all. */
  readonly last: { readonly owner: number; readonly version: number | null } | null;
  readonly count: number;
  readonly freed: readonly { readonly workspaceId: number; readonly bytes: number }[];
}

interface Owner {
  /** Owners with more than one version: `id`, `workspace_id`, `version`, and what conditions need. */
  readonly owners: SQL;
  /** Whether a version `v` is of the owner `o`. */
  readonly isOf: SQL;
  /** The same of its next version `n`. */
  readonly isNext: SQL;
  readonly key: readonly string[];
  /** Whether nothing that is stored is of the version `v` of `o`, which was replaced at `r.at`. */
  readonly isUnused?: SQL;
  /** Tables with rows of a version. */
  readonly parts?: readonly string[];
}

const placeholder = (name: keyof Values) => sql`${sql.placeholder(name as string)}::bigint`;
const number = (value: number) => sql.raw(String(value));

/** What may name the version that it starts, each a table and its column of JSON. */
const starters = [
  ["schedules", "launch"],
  ["triggers", "target"],
] as const;

/** Whether nothing that is started later names a version `v` of `o`; `names` are what it may be called. */
const isUnpinned = (kind: "agent" | "function", names: SQL): SQL =>
  sql.join(
    starters.map(([table, column]) => {
      const launched = sql.raw(`s.${column} -> '${kind}'`);
      return sql`not exists (
        select from ${sql.raw(table)} s where s.workspace_id = o.workspace_id
          and ${launched} ->> '${sql.raw(kind)}Id' in (${names})
          and (${launched} ->> '${sql.raw(kind)}Version')::int = v.version)`;
    }),
    sql` and `,
  );

const owners: Record<VersionKind, Owner> = {
  agent: {
    owners: sql`select id, workspace_id, version, sid from agents where is_current`,
    isOf: sql`v.workspace_id = o.workspace_id and v.sid = o.sid`,
    isNext: sql`n.workspace_id = v.workspace_id and n.sid = v.sid`,
    key: ["id"],
    isUnused: sql`(select 1 from messages m where m.agent_id = v.id limit 1) is null
      and (select 1 from feedbacks f where f.agent_id = v.id limit 1) is null
      and ${isUnpinned("agent", sql`v.sid`)}`,
    parts: ["agent_functions", "agent_skills", "agent_tools"],
  },
  function: {
    // Invocations are many and deleted in their order: the oldest says from when on there are any.
    owners: sql`select id, workspace_id, version, sid, slug, (select i.created_at from invocations i
      where i.function_id = sandbox_functions.id order by i.id limit 1) as invoked_at
      from sandbox_functions where true`,
    isOf: sql`v.function_id = o.id`,
    isNext: sql`n.function_id = v.function_id`,
    key: ["function_id", "version"],
    isUnused: sql`(o.invoked_at is null or o.invoked_at > r.at + ${number(LATE_MS)})
      and ${isUnpinned("function", sql`o.sid, o.slug`)}`,
  },
  skill: {
    owners: sql`select id, workspace_id, version from skills where true`,
    isOf: sql`v.skill_id = o.id`,
    isNext: sql`n.skill_id = v.skill_id`,
    key: ["skill_id", "version"],
  },
};

// Rows that somebody else has locked stay until the next sweep: it never waits while it holds locks of its own.
function sweepStatement(kind: VersionKind): Statement<Values, Swept> {
  const { owners: from, isOf, isNext, key, isUnused = sql`true`, parts = [] } = owners[kind];
  const { table, columns } = versionTables[kind];
  const keyOf = (alias: string) => sql.raw(key.map((column) => `${alias}.${column}`).join(", "));
  const deletedParts = parts.map(
    (part, index) => sql`${sql.raw(`part_${index}`)} as (
    delete from ${sql.raw(part)} p using due where p.agent_id = due.id
  ),
  `,
  );
  return statement<Values, Swept>(
    `sweep_${kind}_versions`,
    sql`
  with looked as materialized (
    select o.*, old.version as looked from (
      ${from} and id >= ${placeholder("owner")} and version >= ${placeholder("kept")}
      order by id limit ${number(OWNERS_AT_ONCE)}
    ) o
    left join lateral (
      select v.version from ${sql.raw(table)} v
      where ${isOf} and v.version <= o.version - ${placeholder("kept")}
        and v.version > case o.id when ${placeholder("owner")} then ${placeholder("version")} else ${number(FIRST.version)} end
      order by v.version limit ${number(VERSIONS_AT_ONCE)}
    ) old on true
    order by o.id, old.version limit ${number(VERSIONS_AT_ONCE)}
  ),
  due as materialized (
    select o.workspace_id, ${keyOf("v")}
    from looked o
    join ${sql.raw(table)} v on ${isOf} and v.version = o.looked
    cross join lateral (
      select n.created_at as at from ${sql.raw(table)} n
      where ${isNext} and n.version > v.version order by n.version limit 1
    ) r
    where r.at < ${placeholder("before")} and ${isUnused}
    limit ${number(DELETED_AT_ONCE)} for update of v skip locked
  ),
  ${sql.join(deletedParts)}gone as (
    delete from ${sql.raw(table)} v using due where (${keyOf("v")}) = (${keyOf("due")})
    returning due.workspace_id, ${rowBytesOf("v", columns)} as bytes
  ),
  freed as (
    select workspace_id, count(*) as count, sum(bytes)::float8 as bytes from gone group by workspace_id
  )
  select (
      select json_build_object('owner', id, 'version', looked) from looked
      order by id desc, looked desc limit 1
    ) as last, coalesce(sum(count), 0)::float8 as count,
    coalesce(json_agg(json_build_object('workspaceId', workspace_id, 'bytes', bytes)), '[]') as freed
  from freed`,
  );
}

const statements: Record<VersionKind, Statement<Values, Swept>> = {
  agent: sweepStatement("agent"),
  function: sweepStatement("function"),
  skill: sweepStatement("skill"),
};

export interface VersionRetention {
  readonly kind: VersionKind;
  /** How long a version stays after it was replaced. */
  readonly retentionMs: number;
  /** How many of the newest stay, at least 1: the current one among them. */
  readonly kept: number;
}

/**
 * Creates a function that deletes some of the versions that have passed their retention and are not in use, and gives
 * their number, 0 when all are deleted.
 */
export function createVersionSweep(
  core: Process & StorageServices,
  { kind, retentionMs, kept }: VersionRetention,
): () => Promise<number> {
  let place = FIRST;
  return async () => {
    for (;;) {
      const values = { ...place, before: core.now() - retentionMs, kept };
      const [swept] = await statements[kind].execute(core.database.slow.db, values);
      if (swept === undefined) throw new Error("The statement has no row");
      const { last, count, freed } = swept;
      for (const { workspaceId, bytes } of freed) core.storage.add(workspaceId, -bytes);
      // There may be more among the same.
      if (count < DELETED_AT_ONCE) place = last === null ? FIRST : nextOf(last);
      if (count > 0 || last === null) return count;
    }
  };
}

function nextOf({ owner, version }: NonNullable<Swept["last"]>): Place {
  return version === null ? { owner: owner + 1, version: FIRST.version } : { owner, version };
}
