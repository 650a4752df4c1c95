/**
 * Bounds what a workspace stores at no statement per request: each process counts the bytes that it writes,
 * adds them to the sum in the database about every second, and then reads the sum of all processes. So the
 * processes of a server may together exceed the limit by what they write within that second. What a
 * workspace really stores is counted by workers (`count-storage.ts`).
 */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { createCoalescedReads } from "../data-access/coalesced-reads.ts";
import { storedBytesLimit } from "./stored-limits.ts";

/** Time until written bytes are in the database, and how old a sum may be that refuses a request. */
const FLUSH_MS = 1000;
/** Workspaces whose sums are cached, and those that one statement writes. */
const MAX_WORKSPACES = 10_000;
const MAX_TOGETHER = 64;

/** Whether there is room for more bytes, and what there is. */
export interface StorageRoom {
  readonly fits: boolean;
  readonly storedBytes: number;
  readonly limitBytes: number;
}

/** Counts the bytes that a process writes for each workspace. */
export interface StorageMeter {
  /** Bytes that a workspace may store, if it has no smaller budget. */
  readonly limitBytes: number;
  /** Adds bytes that are about to be written, if there is room for them. */
  reserve(workspaceId: number, bytes: number): Promise<StorageRoom>;
  /** Adds bytes that are written anyway, or that were deleted. */
  add(workspaceId: number, bytes: number): void;
  /** Writes what was added to the database. */
  flush(): Promise<void>;
}

/** What the features need that store something. */
export interface StorageServices {
  readonly storage: StorageMeter;
}

/** What a process knows about a workspace. */
interface Known {
  readonly workspaceId: number;
  /** With all that this process has added. */
  storedBytes: number;
  limitBytes: number;
  /** What the database does not have yet. */
  unwrittenBytes: number;
  isChanged: boolean;
  isRefused: boolean;
  readAt: number;
}

interface Sum {
  readonly workspaceId: number;
  readonly storedBytes: number;
  /** The smallest budget; null without any. */
  readonly limitBytes: number | null;
}

// The rows are locked in the order of their numbers, so that processes do not deadlock each other. A row is
// written only if something was added: asking alone writes nothing.
const addStatement = statement<{ now: number; added: string }, Sum>(
  "add_storage",
  sql`
  with given as (
    select g.* from json_to_recordset(${sql.placeholder("added")}::json)
      as g(id bigint, bytes bigint, changed bool, refused bool)
  ),
  written as (
    insert into workspace_storage as s (workspace_id, added_bytes, changed_at, refused_at)
    select g.id, g.bytes, case when g.changed then ${sql.placeholder("now")}::bigint else 0 end,
      case when g.refused then ${sql.placeholder("now")}::bigint else 0 end
    from given g join workspaces w on w.id = g.id
    where g.changed or g.refused
    order by g.id
    on conflict (workspace_id) do update set
      added_bytes = s.added_bytes + excluded.added_bytes,
      changed_at = greatest(s.changed_at, excluded.changed_at),
      refused_at = greatest(s.refused_at, excluded.refused_at)
    returning workspace_id, counted_bytes + added_bytes as bytes
  )
  select g.id as "workspaceId",
    greatest(0, coalesce(written.bytes, s.counted_bytes + s.added_bytes, 0))::float8 as "storedBytes",
    ${storedBytesLimit(sql`g.id`)}::float8 as "limitBytes"
  from given g
  left join written on written.workspace_id = g.id
  left join workspace_storage s on s.workspace_id = g.id`,
);

interface StorageMeterOptions {
  readonly limitBytes: number;
  /** The clock of the database. */
  readonly now: () => number;
  /** Called for each request that is refused. */
  readonly onRefused: () => void;
  /** Called if sums could not be written: they are written later. */
  readonly onError: (error: unknown) => void;
}

/** Creates the meter of a process. */
export function createStorageMeter(
  db: Queryable,
  { limitBytes, now, onRefused, onError }: StorageMeterOptions,
): StorageMeter {
  const known = new LRUCache<number, Known>({
    max: MAX_WORKSPACES,
    memoMethod: (workspaceId) => ({
      workspaceId,
      storedBytes: 0,
      limitBytes,
      unwrittenBytes: 0,
      isChanged: false,
      isRefused: false,
      readAt: -Infinity,
    }),
  });
  // A workspace that is dropped from the cache stays here until its bytes are written.
  const changed = new Set<Known>();
  let timer: NodeJS.Timeout | undefined;

  const write = createCoalescedReads<Known, void>(async (some) => {
    const added = some.map((one) => {
      const { workspaceId: id, unwrittenBytes: bytes, isChanged, isRefused } = one;
      Object.assign(one, { unwrittenBytes: 0, isChanged: false, isRefused: false });
      return { one, id, bytes, changed: isChanged, refused: isRefused };
    });
    try {
      const values = added.map(({ one: _one, ...value }) => value);
      const rows = await addStatement.execute(db, { now: now(), added: JSON.stringify(values) });
      const sums = new Map(rows.map((row) => [row.workspaceId, row]));
      for (const one of some) {
        const sum = sums.get(one.workspaceId);
        one.storedBytes = (sum?.storedBytes ?? 0) + one.unwrittenBytes;
        one.limitBytes = Math.min(limitBytes, sum?.limitBytes ?? limitBytes);
        one.readAt = performance.now();
        // Until then, who flushes waits for it.
        if (!one.isChanged && !one.isRefused) changed.delete(one);
      }
    } catch (error) {
      // If only the answer was lost, the bytes count twice until the workspace is counted again.
      for (const { one, bytes } of added) change(one, bytes);
      throw error;
    }
    return () => {};
  }, MAX_TOGETHER);

  const change = (one: Known, bytes: number): void => {
    one.unwrittenBytes += bytes;
    one.isChanged = true;
    writeSoon(one);
  };

  const writeSoon = (one: Known): void => {
    changed.add(one);
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch(onError);
    }, FLUSH_MS).unref();
  };

  const flush = async (): Promise<void> => {
    await Promise.all([...changed].map(write));
  };

  const add = (one: Known, bytes: number): void => {
    one.storedBytes += bytes;
    change(one, bytes);
  };

  return {
    limitBytes,
    flush,
    add: (workspaceId, bytes) => add(known.memo(workspaceId), bytes),
    reserve: async (workspaceId, bytes) => {
      const one = known.memo(workspaceId);
      const fits = () => one.storedBytes + bytes <= one.limitBytes;
      const age = performance.now() - one.readAt;
      if (age === Infinity || (!fits() && age >= FLUSH_MS)) await write(one);
      const room = { fits: fits(), storedBytes: one.storedBytes, limitBytes: one.limitBytes };
      if (room.fits) add(one, bytes);
      else {
        // It asks for a count, which finds what was deleted in the meantime.
        one.isRefused = true;
        writeSoon(one);
        onRefused();
      }
      return room;
    },
  };
}
