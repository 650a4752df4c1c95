/**
 * Counts what workspaces store, from their rows: what processes said they wrote is an estimate, which a count
 * replaces. So a crash, a deletion or an error costs exactness only until the next count.
 */
import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import {
  conversationsStatement,
  deliveriesStatement,
  invocationsStatement,
  type Page,
  pagedStatement,
  restStatement,
} from "./size-statements.ts";

/** Time between two counts of a workspace. */
const BETWEEN_COUNTS_MS = {
  /** Where a request was refused since. */
  refused: 1000,
  /** Where a hundredth of the limit was written since. */
  filling: 10_000,
  changed: 300_000,
  /** Where nothing is known to have changed. */
  quiet: 6 * 3_600_000,
};
/** A count takes at most this part of the time, however many rows there are. */
const PART_OF_TIME = 10;
/** Writes that a count may have missed, because they were committed or told to the database late. */
const LATE_MS = 5000;
/** After this time, another worker counts in place of one that has died; a worker that lives renews it. */
const LEASE_MS = 120_000;
const RENEW_MS = 30_000;

const workspaceId = sql`${sql.placeholder("workspaceId")}::bigint`;

interface Due {
  readonly workspaceId: number;
  readonly addedBytes: number;
  readonly until: number;
}

const between = (name: keyof typeof BETWEEN_COUNTS_MS) => sql.raw(String(BETWEEN_COUNTS_MS[name]));
const now = sql`${sql.placeholder("now")}::bigint`;

// A quiet workspace is counted once more after its last change, and then rarely.
const claimStatement = statement<{ now: number; limitBytes: number }, Due>(
  "claim_storage_count",
  sql`
  update workspace_storage set counting_until = ${now} + ${sql.raw(String(LEASE_MS))}
  where workspace_id = (
    select workspace_id from workspace_storage
    where counting_until <= ${now} and (counted_at is null or ${now} >= counted_at + greatest(
      count_ms * ${sql.raw(String(PART_OF_TIME))}::bigint,
      case
        when refused_at > counted_at then ${between("refused")}
        when changed_at + ${sql.raw(String(LATE_MS))} <= counted_at then ${between("quiet")}
        when abs(added_bytes) > ${sql.placeholder("limitBytes")}::bigint / 100 then ${between("filling")}
        else ${between("changed")}
      end))
    order by refused_at > counted_at desc nulls last, counted_at nulls first
    limit 1 for update skip locked
  )
  returning workspace_id::float8 as "workspaceId", added_bytes::float8 as "addedBytes",
    counting_until::float8 as until`,
);

const isHeld = sql`workspace_id = ${workspaceId} and counting_until = ${sql.placeholder("until")}::bigint`;

const renewStatement = statement<
  { workspaceId: number; until: number; next: number },
  { id: number }
>(
  "renew_storage_count",
  sql`
  update workspace_storage set counting_until = ${sql.placeholder("next")}::bigint where ${isHeld}
  returning workspace_id as id`,
);

// What was added while it was counted stays: the count may have missed it.
const writeStatement = statement<{
  workspaceId: number;
  until: number;
  bytes: number;
  addedBytes: number;
  startedAt: number;
  countMs: number;
}>(
  "write_storage_count",
  sql`
  update workspace_storage set
    counted_bytes = ${sql.placeholder("bytes")}::bigint,
    added_bytes = added_bytes - ${sql.placeholder("addedBytes")}::bigint,
    counted_at = ${sql.placeholder("startedAt")}::bigint,
    count_ms = ${sql.placeholder("countMs")}::int,
    counting_until = 0
  where ${isHeld}`,
);

export interface CountOptions {
  /** Bytes that a workspace may store. */
  readonly limitBytes: number;
  /** Waits, so that others have the database for as long as a page took. */
  readonly pause: (tookMs: number) => Promise<void>;
}

/**
 * Counts the bytes of a workspace whose sum may be wrong. Gives the number of workspaces counted, 0 when all
 * are done.
 */
export async function countStorage(
  core: Process,
  { limitBytes, pause }: CountOptions,
): Promise<number> {
  const { db } = core.database;
  const startedAt = core.now();
  const [due] = await claimStatement.execute(db, { now: startedAt, limitBytes });
  if (due === undefined) return 0;
  const { workspaceId: id } = due;
  let { until } = due;
  let countMs = 0;
  let bytes = 0;
  const renew = async () => {
    const next = core.now() + LEASE_MS;
    const held = await renewStatement.execute(db, { workspaceId: id, until, next });
    if (held.length === 0) throw new Error("Another worker is counting what the workspace stores");
    until = next;
  };
  const timed = async <Row extends { readonly bytes: number }>(read: Promise<Row[]>) => {
    const began = performance.now();
    const [row] = await read;
    if (row === undefined) throw new Error("The statement has no row");
    bytes += row.bytes;
    const tookMs = performance.now() - began;
    countMs += tookMs;
    await pause(tookMs);
    if (core.now() > until - LEASE_MS + RENEW_MS) await renew();
    return row;
  };
  const countPages = async (readPage: (after: number) => Promise<Page[]>) => {
    for (let after: number | null = 0; after !== null;) after = (await timed(readPage(after))).last;
  };
  await countPages((after) => conversationsStatement.execute(db, { workspaceId: id, after }));
  for (const { kind, id: ownerId } of await pagedStatement.execute(db, { workspaceId: id })) {
    await countPages((after) =>
      kind === "function"
        ? invocationsStatement.execute(db, { functionId: ownerId, after })
        : deliveriesStatement.execute(db, { webhookId: ownerId, after }),
    );
  }
  await timed(restStatement.execute(db, { workspaceId: id }));
  await writeStatement.execute(db, {
    workspaceId: id,
    until,
    bytes: Math.round(bytes),
    addedBytes: due.addedBytes,
    startedAt,
    countMs: Math.ceil(countMs),
  });
  return 1;
}

/** Sums over all workspaces. */
export interface StorageSums {
  readonly bytes: number;
  /** Workspaces that store as much as they may. */
  readonly full: number;
}

const sumsStatement = statement<{ limitBytes: number }, StorageSums>(
  "read_storage_sums",
  sql`
  select coalesce(sum(stored), 0)::float8 as bytes,
    count(*) filter (where stored >= ${sql.placeholder("limitBytes")}::bigint)::int as full
  from (select greatest(0, counted_bytes + added_bytes) as stored from workspace_storage) s`,
);

/** Reads what all workspaces store, as far as it is known. */
export async function readStorageSums(
  { database }: Process,
  { limitBytes }: { readonly limitBytes: number },
): Promise<StorageSums> {
  const [sums] = await sumsStatement.execute(database.db, { limitBytes });
  return sums ?? { bytes: 0, full: 0 };
}
