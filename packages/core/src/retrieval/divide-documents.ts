/**
 * Divides the documents of a data source, a few in each transaction: what a document is divided into and that it is
 * commit together, so that a run that was killed continues after the last of them.
 */
import {
  dataSourceNodes,
  documentParts,
  isDataError,
  logs,
  type Queryable,
  runs,
} from "@parley/db";
import { and, asc, eq, isNull, notInArray, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { type Job, threadModule } from "../untrusted/job.ts";
import { BrokenCall, type CallOptions } from "../untrusted/threads.ts";
import type { divideDocument, IndexedPart } from "./divide-thread.ts";
import { SIMPLE } from "./languages.ts";

type Given = Parameters<typeof divideDocument>[0];
type Divided = ReturnType<typeof divideDocument>;

/** A text of the longest that there may be takes 0.3 s. */
const divideJob: Job<Given, Divided> = {
  url: threadModule("divide-thread", import.meta.url),
  name: "divideDocument",
  deadlineMs: 10_000,
};

/** Documents of a batch; their texts are read one at a time. */
const BATCH = 20;
/** Parts of one statement. */
const PARTS_AT_ONCE = 200;

type Undivided = Pick<
  typeof dataSourceNodes.$inferSelect,
  "viewId" | "nodeId" | "title" | "content" | "tags" | "updatedAt" | "contentHash"
>;

/** What a batch has divided. */
interface DividedBatch {
  readonly documents: number;
  /** Parts that were written: those that are as they were stay. */
  readonly parts: number;
}

/** What came of one document. */
export interface DivisionEnd {
  readonly outcome: "divided" | "failed";
  readonly durationMs: number;
}

interface Dividing {
  readonly run: ClaimedRun;
  readonly viewId: number;
  /** What divides a document, if that is not `divideDocument`. */
  readonly job?: Job<Given, Divided>;
  readonly onEnd?: (end: DivisionEnd) => void;
}

/**
 * Divides some documents of a data source that are not divided, and gives how many; none once all are. A document that
 * changes meanwhile is divided again. Throws `LostLease`.
 */
export async function divideSome(
  core: Process,
  { run, viewId, job = divideJob, onEnd }: Dividing,
  signal: AbortSignal,
): Promise<DividedBatch> {
  const { db } = core.database;
  const pending = await db
    .select({ nodeId: dataSourceNodes.nodeId })
    .from(dataSourceNodes)
    .where(isUndivided(viewId))
    .orderBy(asc(dataSourceNodes.nodeId))
    .limit(BATCH);
  let written = 0;
  for (const { nodeId } of pending) {
    // oxlint-disable no-await-in-loop -- one text at a time is in memory
    const [document] = await db
      .select(undividedColumns)
      .from(dataSourceNodes)
      .where(and(isUndivided(viewId), eq(dataSourceNodes.nodeId, nodeId)));
    if (document === undefined) continue;
    const startedAt = performance.now();
    const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
    const divided = await divide(core, document, { job, options });
    const end = await writeDivided(core, { run, document, divided });
    written += end.written;
    onEnd?.({ outcome: end.outcome, durationMs: performance.now() - startedAt });
    // oxlint-enable no-await-in-loop
  }
  return { documents: pending.length, parts: written };
}

/** What a text is divided into, or why it cannot be. */
type Division = Divided | { readonly failure: string };

async function divide(
  { threads }: Process,
  { title, content, tags }: Undivided,
  { job, options }: { readonly job: Job<Given, Divided>; readonly options: CallOptions },
): Promise<Division> {
  try {
    const outcome = await threads.call(job, { title, content, tags }, options);
    if ("value" in outcome) return outcome.value;
    return {
      failure:
        outcome.failure === "too slow"
          ? `Its text could not be divided within ${job.deadlineMs / 1000} seconds`
          : "The division of its text took more memory than it may",
    };
  } catch (error) {
    if (error instanceof BrokenCall) return { failure: "Its text could not be divided" };
    throw error;
  }
}

async function writeDivided(
  core: Process,
  writing: Writing,
): Promise<Pick<DivisionEnd, "outcome"> & { readonly written: number }> {
  const { divided } = writing;
  try {
    const written = await writeParts(core, writing);
    return { outcome: "failure" in divided ? "failed" : "divided", written };
  } catch (error) {
    // One document must not hold up all others of its data source.
    if (!isDataError(error)) throw error;
    await writeParts(core, { ...writing, divided: { failure: "Its words cannot be stored" } });
    return { outcome: "failed", written: 0 };
  }
}

const undividedColumns = {
  viewId: dataSourceNodes.viewId,
  nodeId: dataSourceNodes.nodeId,
  title: dataSourceNodes.title,
  content: dataSourceNodes.content,
  tags: dataSourceNodes.tags,
  updatedAt: dataSourceNodes.updatedAt,
  contentHash: dataSourceNodes.contentHash,
};

const isUndivided = (viewId: number) =>
  and(
    eq(dataSourceNodes.viewId, viewId),
    isNull(dataSourceNodes.dividedAt),
    eq(dataSourceNodes.nodeType, "document"),
  );

interface Writing {
  readonly run: ClaimedRun;
  readonly document: Undivided;
  readonly divided: Division;
}

async function writeParts(core: Process, { run, document, divided }: Writing): Promise<number> {
  const { viewId, nodeId, title, contentHash, updatedAt } = document;
  // A text that cannot be divided is found by the other searches alone.
  const { language, parts } = "failure" in divided ? { language: SIMPLE, parts: [] } : divided;
  const divisionFailure = "failure" in divided ? divided.failure : null;
  return inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    const [marked] = await db
      .update(dataSourceNodes)
      .set({ dividedAt: core.now(), embeddedSet: 0, divisionFailure })
      .where(
        and(
          isUndivided(viewId),
          eq(dataSourceNodes.nodeId, nodeId),
          eq(dataSourceNodes.contentHash, contentHash),
          eq(dataSourceNodes.updatedAt, updatedAt),
          eq(dataSourceNodes.title, title),
        ),
      )
      .returning({ nodeId: dataSourceNodes.nodeId });
    // It was changed or deleted in the meantime.
    if (marked === undefined) return 0;
    const ids = parts.map(({ partId }) => partId);
    const ofDocument = and(eq(documentParts.viewId, viewId), eq(documentParts.nodeId, nodeId));
    const gone = ids.length === 0 ? undefined : notInArray(documentParts.partId, ids);
    await db.delete(documentParts).where(and(ofDocument, gone));
    let written = 0;
    for (let start = 0; start < parts.length; start += PARTS_AT_ONCE) {
      const some = parts.slice(start, start + PARTS_AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop -- statements of bounded size
      written += await insertParts(db, { viewId, nodeId, title, language }, some);
    }
    return written;
  });
}

interface Place {
  readonly viewId: number;
  readonly nodeId: string;
  readonly title: string;
  readonly language: string;
}

/**
 * Writes parts, and gives how many have changed. The title, the headings and the language are part of their words: a part
 * whose words are as they were moves at most.
 */
async function insertParts(
  db: Queryable,
  { viewId, nodeId, title, language }: Place,
  parts: readonly IndexedPart[],
): Promise<number> {
  const rows = JSON.stringify(
    parts.map(({ partId, position, start, end, headings, content, grams }) => ({
      part_id: partId,
      position,
      start,
      end,
      headings,
      content,
      grams,
      heading_text: `${title}\n${headings.join("\n")}`,
    })),
  );
  const [row] = await selectRows<{ changed: number }>(
    db,
    sql`
    with given as (
      select p.*, setweight(to_tsvector(${language}::regconfig, p.heading_text), 'A')
        || setweight(to_tsvector(${language}::regconfig, p.content), 'D')
        || array_to_tsvector(p.grams)
        || array_to_tsvector(array['view ' || ${viewId}::bigint::text]) as words
      from json_to_recordset(${rows}::json) as p(part_id text, "position" int, start int, "end" int,
        headings text[], content text, grams text[], heading_text text)
    ),
    -- A vector is of the title and the headings, too.
    reworded as (
      delete from part_vectors v using given, document_parts before
      where (before.view_id, before.node_id, before.part_id) = (${viewId}::bigint, ${nodeId}, given.part_id)
        and before.words is distinct from given.words
        and (v.view_id, v.node_id, v.part_id) = (before.view_id, before.node_id, before.part_id)
    ),
    written as (
      insert into document_parts (view_id, node_id, part_id, position, start, "end", headings, content, language, words)
      select ${viewId}::bigint, ${nodeId}, part_id, position, start, "end", headings, content, ${language}, words
      from given
      on conflict (view_id, node_id, part_id) do update set
        position = excluded.position, start = excluded.start, "end" = excluded.end,
        language = excluded.language, words = excluded.words
      where (document_parts.position, document_parts.start, document_parts.end, document_parts.words)
        is distinct from (excluded.position, excluded.start, excluded.end, excluded.words)
      returning (xmax = 0) as is_new
    )
    select count(*) filter (where is_new)::int as changed from written`,
  );
  return row?.changed ?? 0;
}

/** Ends a division that has nothing more to divide, with its run and its log. Throws `LostLease`. */
export async function endDivision(core: Process, run: ClaimedRun): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    await readHeldLog(db, run, { isLocked: true });
    await db.delete(logs).where(eq(logs.id, run.logId));
    await db.delete(runs).where(eq(runs.logId, run.logId));
  });
}
