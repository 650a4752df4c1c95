import pg from "pg";
import { type MigrationState, readMigrationState } from "../migrate.ts";

/** What a database is found to be. */
export interface DatabaseFindings {
  /** Version of PostgreSQL, as in `18.4`. */
  readonly version: string;
  /** How far its clock is ahead of this machine's, in milliseconds, give or take `roundTripMs`. */
  readonly clockAheadMs: number;
  readonly roundTripMs: number;
  readonly isReadOnly: boolean;
  /** Whether the user may create what migrations create. */
  readonly mayCreate: boolean;
  readonly connections: {
    readonly most: number;
    /** Those that nobody has, or that Parley has already. */
    readonly available: number;
  };
  readonly migrations: MigrationState;
  /** How many secrets are stored, by the id of the key that encrypts them. */
  readonly secretsByKey: ReadonlyMap<string, number>;
  readonly schedules: StalledSchedules;
  readonly observed: Observed;
}

/** What nobody may have noticed of all workspaces. */
export interface Observed {
  /** Incidents of alerts that are open. */
  readonly openAlerts: number;
  /** Trace destinations to which every attempt fails. */
  readonly failingDestinations: number;
  /** For how long messages have waited to be found by their words, in milliseconds; 0 if none waits. */
  readonly unindexedMs: number;
  /** Workspaces whose documents are found by meaning, and those for which no vectors are made for now. */
  readonly byMeaning: number;
  readonly withoutVectors: number;
  /** Indexes of vectors that can be searched. */
  readonly vectorIndexes: number;
  /** Documents of data sources that could not be divided into parts. */
  readonly failedDivisions: number;
  /** How long ago the oldest document was written that is not divided, in milliseconds; 0 if none waits. */
  readonly undividedMs: number;
  /** Web sources that could not be read the last time. */
  readonly failingWebSources: number;
}

/** How many schedules start nothing. */
interface StalledSchedules {
  /** They are paused, because the key that they act for is no longer valid. */
  readonly withoutKey: number;
  /** Their last firings could not start. */
  readonly failing: number;
}

interface Facts {
  readonly version: string;
  readonly now: number;
  readonly read_only: boolean;
  readonly may_create: boolean;
  readonly most: number;
  readonly available: number;
}

const facts = `select
    split_part(current_setting('server_version'), ' ', 1) as version,
    extract(epoch from clock_timestamp())::float8 * 1000 as now,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as read_only,
    has_database_privilege(current_database(), 'create')
      and coalesce(has_schema_privilege(to_regnamespace('public'), 'create'), true) as may_create,
    current_setting('max_connections')::int as most,
    (current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - (select sum(numbackends) from pg_stat_database)
      + (select count(*) from pg_stat_activity
          where application_name = 'parley' and datname = current_database()))::int as available`;

const keyOf = (column: string): string => `${column} ->> 'keyId'`;
const secrets = `select key_id as id, count(*)::int as count from (
    select key_id from function_secrets
    union all select key_id from provider_credentials
    union all select unnest(array[${["headers", "client_secret", "token"].map(keyOf).join(", ")}]) from tool_connections
    union all select unnest(array[${["token", "refresh_token"].map(keyOf).join(", ")}]) from tool_authorizations
    union all select unnest(array[${["secret", "previous_secret"].map(keyOf).join(", ")}]) from webhooks
    union all select ${keyOf("headers")} from trace_destinations
    union all select unnest(array[${["secret", "previous_secret"].map((column) => keyOf(`${column} -> 'encrypted'`)).join(", ")}]) from triggers
  ) as stored where key_id is not null group by 1`;

const stalled = `select count(*) filter (where paused_for = 'key_revoked')::int as "withoutKey",
    count(*) filter (where paused_for is null and failing_since is not null)::int as failing
  from schedules`;

const observed = `select
    (select count(*)::int from alert_incidents where opened_at is not null and closed_at is null) as "openAlerts",
    (select count(distinct workspace_id)::int from embedding_sets where status = 'current') as "byMeaning",
    (select count(distinct workspace_id)::int from embedding_sets
      where status <> 'removed' and stop is not null) as "withoutVectors",
    (select count(*)::int from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'public.part_vectors'::regclass and i.indisvalid
        and starts_with(c.relname, 'part_vectors_hnsw_')) as "vectorIndexes",
    (select count(*)::int from trace_destinations where is_enabled and failing_since is not null) as "failingDestinations",
    coalesce((
      select greatest(0, extract(epoch from clock_timestamp()) * 1000 - i.indexed_until) from message_index i
      where exists (select from messages m where m.created_at >= i.indexed_until)
    ), 0)::float8 as "unindexedMs",
    (select count(*)::int from data_source_nodes where division_failure is not null) as "failedDivisions",
    coalesce((
      select greatest(0, extract(epoch from clock_timestamp()) * 1000 - min(n.updated_at)) from data_source_nodes n
      where n.divided_at is null and n.node_type = 'document'
    ), 0)::float8 as "undividedMs",
    (select count(*)::int from web_sources where last_refresh ->> 'outcome' = 'failed') as "failingWebSources"`;

const nothingObserved: Observed = {
  openAlerts: 0,
  failingDestinations: 0,
  unindexedMs: 0,
  failedDivisions: 0,
  undividedMs: 0,
  failingWebSources: 0,
  byMeaning: 0,
  withoutVectors: 0,
  vectorIndexes: 0,
};

/**
 * Looks at a database without changing it, in one connection that is closed again. Throws if it cannot be
 * reached or does not answer in time.
 */
export async function inspectDatabase(
  url: string,
  { timeoutMs }: { readonly timeoutMs: number },
): Promise<DatabaseFindings> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    application_name: "parley-doctor",
  });
  // A connection that breaks fails the query that runs.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("begin read only");
    const found = await readFacts(client);
    const migrations = await readMigrationState(client);
    const isCurrent = migrations.state === "current";
    const { rows } = isCurrent
      ? await client.query<{ id: string; count: number }>(secrets)
      : { rows: [] };
    const secretsByKey = new Map(rows.map(({ id, count }) => [id, count]));
    const [schedules = { withoutKey: 0, failing: 0 }] = isCurrent
      ? (await client.query<StalledSchedules>(stalled)).rows
      : [];
    const [seen = nothingObserved] = isCurrent ? (await client.query<Observed>(observed)).rows : [];
    return { ...found, migrations, secretsByKey, schedules, observed: seen };
  } finally {
    client.end().catch(() => {});
  }
}

async function readFacts(client: pg.Client) {
  const before = Date.now();
  const { rows } = await client.query<Facts>(facts);
  const after = Date.now();
  const [row] = rows;
  if (row === undefined) throw new Error("The database does not describe itself");
  return {
    version: row.version,
    clockAheadMs: Math.round(row.now - (before + after) / 2),
    roundTripMs: after - before,
    isReadOnly: row.read_only,
    mayCreate: row.may_create,
    connections: { most: row.most, available: row.available },
  };
}
