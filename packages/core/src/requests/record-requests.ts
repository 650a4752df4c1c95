/** Writes the requests that are sent to the services of models, beside the turns that send them. */
import { type RequestParts, type RequestTemplate, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { rowBytesOf } from "../storage/size-statements.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { storedBytesLimit } from "../storage/stored-limits.ts";

/** Requests that a conversation has; of more, the oldest are deleted. */
const MAX_OF_CONVERSATION = 500;
const DROPPED_AT_ONCE = 100;
/** How long a piece is not marked again as used. */
const PIECE_MARK_MS = 3_600_000;

/** The request of a step, as it is stored. */
export interface NewRequest {
  readonly workspaceId: number;
  readonly conversationId: number;
  readonly messageId: string;
  readonly step: number;
  readonly attempt: number;
  readonly providerId: string;
  readonly modelId: string;
  readonly sentAt: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Null if the body was too large. */
  readonly template: RequestTemplate | null;
  readonly pieces: Readonly<Record<string, string>>;
  readonly parts: RequestParts;
}

interface Written {
  readonly workspaceId: number;
  readonly requests: number;
  readonly bytes: number;
}

// The locks keep conversations from being deleted in the meantime, which would leave rows behind. A step that was sent
// again keeps its last request.
const recordStatement = statement<
  { requests: string; pieces: string; limitBytes: number },
  Written
>(
  "record_requests",
  sql`
  with given as materialized (
    select * from json_to_recordset(${sql.placeholder("requests")}::json) as g(
      message_id text, step int, workspace_id bigint, conversation_id bigint, attempt int, provider_id text,
      model_id text, sent_at bigint, size_bytes bigint, sha256 text, template text, parts text)
  ),
  held as materialized (
    select c.id, c.workspace_id from conversations c
    where c.id in (select conversation_id from given) and exists (
      select 1 from workspaces w left join workspace_storage s on s.workspace_id = w.id
      where w.id = c.workspace_id and w.records_requests and w.deleted_at is null
        and coalesce(s.counted_bytes + s.added_bytes, 0) <
          least(${sql.placeholder("limitBytes")}::bigint, ${storedBytesLimit(sql`w.id`)})
    )
    order by c.id for key share of c
  ),
  written as (
    insert into recorded_requests as r (message_id, step, workspace_id, conversation_id, attempt, provider_id,
      model_id, sent_at, size_bytes, sha256, template, parts)
    select g.message_id, g.step, held.workspace_id, held.id, g.attempt, g.provider_id,
      g.model_id, g.sent_at, g.size_bytes, g.sha256, g.template, g.parts
    from given g join held on held.id = g.conversation_id and held.workspace_id = g.workspace_id
    order by g.message_id, g.step
    on conflict (message_id, step) do update set attempt = excluded.attempt, provider_id = excluded.provider_id,
      model_id = excluded.model_id, sent_at = excluded.sent_at, size_bytes = excluded.size_bytes,
      sha256 = excluded.sha256, template = excluded.template, parts = excluded.parts
    where (r.attempt, r.sent_at) <= (excluded.attempt, excluded.sent_at)
    returning r.workspace_id, ${rowBytesOf("r", ["template", "parts"])} as bytes
  ),
  stored as (
    insert into request_pieces as p (conversation_id, sha256, workspace_id, text, used_at)
    select held.id, g.sha256, held.workspace_id, g.text, g.used_at
    from json_to_recordset(${sql.placeholder("pieces")}::json)
      as g(conversation_id bigint, sha256 text, text text, used_at bigint)
    join held on held.id = g.conversation_id
    order by held.id, g.sha256
    on conflict (conversation_id, sha256) do update set used_at = excluded.used_at
    where p.used_at < excluded.used_at - ${sql.raw(String(PIECE_MARK_MS))}
    returning p.workspace_id, case when xmax = 0 then ${rowBytesOf("p", ["text"])} else 0 end as bytes
  ),
  dropped as (
    delete from recorded_requests r using held cross join lateral (
      select o.message_id, o.step from recorded_requests o where o.conversation_id = held.id
      order by o.sent_at desc offset ${sql.raw(String(MAX_OF_CONVERSATION))} limit ${sql.raw(String(DROPPED_AT_ONCE))}
    ) old
    where r.message_id = old.message_id and r.step = old.step
      and not exists (select 1 from given g where g.message_id = r.message_id and g.step = r.step)
  )
  select workspace_id::float8 as "workspaceId", sum(requests)::float8 as requests, sum(bytes)::float8 as bytes
  from (
    select workspace_id, 1 as requests, bytes from written
    union all select workspace_id, 0, bytes from stored
  ) both_of group by workspace_id`,
);

/**
 * Writes requests, each in place of an earlier one of its step. Those of conversations that are gone, and of workspaces
 * that are full or record none, are left out. Gives how many were written.
 */
export async function recordRequests(
  core: Pick<Process, "database"> & StorageServices,
  requests: readonly NewRequest[],
): Promise<number> {
  // They are described beside each other, and may come in another order than they were sent.
  const ordered = requests.toSorted((a, b) => a.attempt - b.attempt || a.sentAt - b.sentAt);
  const lastOf = new Map(ordered.map((one) => [`${one.messageId} ${one.step}`, one]));
  const kept = [...lastOf.values()];
  const rows = kept.map((one) => ({
    message_id: one.messageId,
    step: one.step,
    workspace_id: one.workspaceId,
    conversation_id: one.conversationId,
    attempt: one.attempt,
    provider_id: one.providerId,
    model_id: one.modelId,
    sent_at: one.sentAt,
    size_bytes: one.sizeBytes,
    sha256: one.sha256,
    template: one.template && JSON.stringify(one.template),
    parts: JSON.stringify(one.parts),
  }));
  const pieces = new Map(
    kept.flatMap(({ conversationId, sentAt, pieces: own }) =>
      Object.entries(own).map(([sha256, text]) => {
        const piece = { conversation_id: conversationId, sha256, text, used_at: sentAt };
        return [`${conversationId} ${sha256}`, piece] as const;
      }),
    ),
  );
  const written = await recordStatement.execute(core.database.db, {
    requests: JSON.stringify(rows),
    pieces: JSON.stringify([...pieces.values()]),
    limitBytes: core.storage.limitBytes,
  });
  for (const { workspaceId, bytes } of written) core.storage.add(workspaceId, bytes);
  return written.reduce((sum, one) => sum + one.requests, 0);
}

/** Rows that a statement deletes. */
const SWEPT_AT_ONCE = 500;

interface Swept {
  readonly workspaceId: number;
  readonly rows: number;
  readonly bytes: number;
}

const sweepStatement = statement<{ before: number }, Swept>(
  "sweep_recorded_requests",
  sql`
  with gone as (
    delete from recorded_requests r where (message_id, step) in (
      select message_id, step from recorded_requests where sent_at < ${sql.placeholder("before")}::bigint
      order by sent_at limit ${sql.raw(String(SWEPT_AT_ONCE))} for update skip locked
    )
    returning workspace_id, ${rowBytesOf("r", ["template", "parts"])} as bytes
  ),
  unused as (
    delete from request_pieces p where (conversation_id, sha256) in (
      select conversation_id, sha256 from request_pieces
      where used_at < ${sql.placeholder("before")}::bigint - ${sql.raw(String(PIECE_MARK_MS))}
      order by used_at limit ${sql.raw(String(SWEPT_AT_ONCE))} for update skip locked
    )
    returning workspace_id, ${rowBytesOf("p", ["text"])} as bytes
  )
  select workspace_id::float8 as "workspaceId", count(*)::float8 as rows, sum(bytes)::float8 as bytes
  from (select * from gone union all select * from unused) both_of group by workspace_id`,
);

/** Deletes requests that were sent long ago, and pieces of no younger ones. Gives the number of rows, 0 when all are gone. */
export async function sweepRecordedRequests(
  core: Pick<Process, "database" | "now"> & StorageServices,
  { retentionMs }: { readonly retentionMs: number },
): Promise<number> {
  const swept = await sweepStatement.execute(core.database.db, {
    before: core.now() - retentionMs,
  });
  for (const { workspaceId, bytes } of swept) core.storage.add(workspaceId, -bytes);
  return swept.reduce((sum, { rows }) => sum + rows, 0);
}
