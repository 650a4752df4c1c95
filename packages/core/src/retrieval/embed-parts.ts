/**
 * Makes vectors of the parts of a data source's documents, some with each call of the model: what they cost and that they
 * have vectors commit together, so that a run that was killed continues after the last of them.
 */
import { embeddingSets, type EmbeddingStop, logs, type Queryable, runs } from "@parley/db";
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { inTransaction } from "../log/transaction.ts";
import type { Process } from "../context.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { writeUsage } from "../usage/usage-ledger.ts";
import type { EmbeddingSubject } from "./claim-embeddings.ts";
import {
  type EmbeddingCore,
  embedMetered,
  type Metered,
  type Stopped,
} from "./metered-embedding.ts";
import { quantize, signsOf } from "./quantize.ts";

/** Documents that are looked at for parts. */
const DOCUMENTS_AT_ONCE = 64;
/** Characters of a part that a model is given: more than any part has, but for its title and headings. */
const MAX_CHARACTERS = 6000;
/** Time for a call. */
const CALL_MS = 60_000;
/** When a stopped set is tried again: at first, and at most. */
const RETRY_MS = { budget: 60_000, first: 5000, most: 600_000 };

/** What a model is given of a part: also the title and the headings, which say what it is about. */
const givenText: SQL = sql`left(n.title || E'\n' || array_to_string(p.headings, E'\n') || E'\n\n' || p.content,
  ${sql.raw(String(MAX_CHARACTERS))})`;

interface Lacking {
  readonly nodeId: string;
  readonly partId: string;
  readonly text: string;
  readonly hash: string;
}

/** A batch of a run. */
export interface EmbeddedBatch {
  /** Parts that have a vector now. */
  readonly parts: number;
  /** Whether the run has nothing more to do: all have one, or the set has stopped. */
  readonly isLast: boolean;
}

interface Batch {
  readonly run: ClaimedRun;
  readonly subject: EmbeddingSubject;
  /** The number of the call in the attempt. */
  readonly call: number;
  /** Parts of the call at most. */
  readonly most: number;
}

/** Makes vectors of some parts that have none. Throws `LostLease`. */
export async function embedSome(
  core: EmbeddingCore,
  batch: Batch,
  signal: AbortSignal,
): Promise<EmbeddedBatch & { readonly wasTooLong?: boolean }> {
  const { run, subject, call, most } = batch;
  const { viewId, spaceId, set, billing } = subject;
  const { nodes, parts } = await findLacking(core, { viewId, setId: set.id, most });
  if (nodes.length === 0) return { parts: 0, isLast: true };
  const { workspaceId, logId, attempt } = run;
  const place = {
    workspaceId,
    logId,
    attempt,
    call,
    spaceId,
    origin: "embedding" as const,
    apiKeyId: null,
    userId: null,
  };
  const texts = parts.map(({ text }) => text);
  const made: Metered =
    parts.length === 0
      ? { vectors: [], billed: [] }
      : await embedMetered(core, { set, billing, place, texts, timeoutMs: CALL_MS, signal });
  return inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    await writeUsage(db, made.billed);
    const [current] = await db
      .select()
      .from(embeddingSets)
      .where(and(eq(embeddingSets.id, set.id), ne(embeddingSets.status, "removed")))
      .for("update");
    if (current === undefined) return { parts: 0, isLast: true };
    // One text that is too long keeps the others from no vector.
    const isOne = parts.length === 1;
    if ("stop" in made && made.stop === "too_long" && !isOne) {
      return { parts: 0, isLast: false, wasTooLong: true };
    }
    if ("stop" in made && made.stop !== "too_long") {
      await stopSet(core, db, { id: set.id, failures: current.failures, ...made, stop: made.stop });
      return { parts: 0, isLast: true };
    }
    const vectors = "vectors" in made ? made.vectors : [];
    await insertVectors(db, { viewId, setId: set.id, parts, vectors });
    const dimensions = vectors[0]?.length;
    const isFirst = current.dimensions === null && dimensions !== undefined;
    const clear = { stop: null, problem: null, retryAt: null, failures: 0 };
    if (parts.length > 0 && (current.stop !== null || isFirst)) {
      await db
        .update(embeddingSets)
        .set({ ...clear, ...(isFirst && { dimensions }) })
        .where(eq(embeddingSets.id, set.id));
    }
    await markEmbedded(db, { viewId, setId: set.id, nodes });
    return { parts: parts.length, isLast: false };
  });
}

async function findLacking(
  core: Pick<Process, "database">,
  { viewId, setId, most }: { viewId: number; setId: number; most: number },
): Promise<{ nodes: string[]; parts: Lacking[] }> {
  const pending = (way: SQL) => sql`
    (select n.node_id, n.title from data_source_nodes n
    where n.view_id = ${viewId} and n.node_type = 'document' and n.divided_at is not null
      and n.embedded_set >= 0 and n.embedded_set ${way} ${setId}
    limit ${sql.raw(String(DOCUMENTS_AT_ONCE))})`;
  const [row] = await selectRows<{ nodes: string[]; parts: Lacking[] }>(
    core.database.db,
    sql`
    with n as materialized (${pending(sql`<`)} union all ${pending(sql`>`)}),
    lacking as materialized (
      select p.node_id, p.part_id, ${givenText} as text
      from n join document_parts p on p.view_id = ${viewId}::bigint and p.node_id = n.node_id
      where not exists (
        select from part_vectors v
        where (v.view_id, v.node_id, v.part_id, v.set_id) = (p.view_id, p.node_id, p.part_id, ${setId}::bigint)
      )
      limit ${sql.raw(String(most))}
    )
    select (select coalesce(json_agg(node_id), '[]') from n) as nodes,
      (select coalesce(json_agg(json_build_object('nodeId', node_id, 'partId', part_id, 'text', text,
        'hash', md5(text))), '[]') from lacking) as parts`,
  );
  return row ?? { nodes: [], parts: [] };
}

/**
 * Writes the vectors of those parts whose text is still what the model was given; without vectors, empty ones. A part that is
 * deleted meanwhile is left out: its lock is waited for.
 */
async function insertVectors(
  db: Queryable,
  given: {
    readonly viewId: number;
    readonly setId: number;
    readonly parts: readonly Lacking[];
    readonly vectors: readonly (readonly number[])[];
  },
): Promise<void> {
  const { viewId, setId, parts, vectors } = given;
  if (parts.length === 0) return;
  const rows = parts.map(({ nodeId, partId, hash }, index) => {
    const vector = vectors[index] ?? [];
    const hex = Buffer.from(quantize(vector).buffer).toString("hex");
    return { node_id: nodeId, part_id: partId, hash, vector: `\\x${hex}`, signs: signsOf(vector) };
  });
  await db.execute(sql`
    insert into part_vectors (view_id, node_id, part_id, set_id, vector, signs)
    select ${viewId}::bigint, g.node_id, g.part_id, ${setId}::bigint, g.vector, g.signs
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as g(node_id text, part_id text, hash text, vector bytea, signs varbit)
    join data_source_nodes n on n.view_id = ${viewId}::bigint and n.node_id = g.node_id
    join document_parts p on p.view_id = ${viewId}::bigint and p.node_id = g.node_id and p.part_id = g.part_id
    where md5(${givenText}) = g.hash
    order by g.node_id, g.part_id
    for key share of p
    on conflict do nothing`);
}

/** Marks the documents all of whose parts have a vector. */
async function markEmbedded(
  db: Queryable,
  { viewId, setId, nodes }: { viewId: number; setId: number; nodes: readonly string[] },
): Promise<void> {
  await db.execute(sql`
    update data_source_nodes n set embedded_set = ${setId}
    where n.view_id = ${viewId} and n.divided_at is not null
      and n.node_id in (select json_array_elements_text(${JSON.stringify(nodes)}::json))
      and not exists (
        select from document_parts p
        where p.view_id = n.view_id and p.node_id = n.node_id and not exists (
          select from part_vectors v
          where (v.view_id, v.node_id, v.part_id, v.set_id) = (p.view_id, p.node_id, p.part_id, ${setId}::bigint)
        )
      )`);
}

async function stopSet(
  core: Pick<Process, "now">,
  db: Queryable,
  given: Omit<Stopped, "stop"> & { id: number; failures: number; stop: EmbeddingStop },
): Promise<void> {
  const { id, failures, stop, problem, retryAt } = given;
  const isBudget = stop === "budget" || stop === "unpriced";
  const pauseMs = isBudget ? RETRY_MS.budget : RETRY_MS.first * 2 ** Math.min(failures, 16);
  const asked = retryAt === undefined ? 0 : retryAt - core.now();
  // Of a budget, its limit may be raised before its period ends.
  const waitMs = isBudget ? Math.min(asked || pauseMs, pauseMs) : Math.max(asked, pauseMs);
  await db
    .update(embeddingSets)
    .set({
      stop,
      problem,
      retryAt: core.now() + Math.min(waitMs, RETRY_MS.most),
      failures: isBudget ? failures : failures + 1,
    })
    .where(eq(embeddingSets.id, id));
}

/** Ends an embedding with its run and its log. Throws `LostLease`. */
export async function endEmbedding(core: Process, run: ClaimedRun): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    await db.delete(logs).where(eq(logs.id, run.logId));
    await db.delete(runs).where(eq(runs.logId, run.logId));
  });
}
