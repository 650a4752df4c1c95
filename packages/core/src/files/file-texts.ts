/** Texts that were extracted from files, for each workspace, content and extractor. */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { StorageServices } from "../storage/storage-meter.ts";

/** What a text is of. */
export interface FileTextKey extends Record<string, unknown> {
  readonly workspaceId: number;
  /** SHA-256 of the file's bytes, in hexadecimal. */
  readonly sha256: string;
  /** Kind and version of the extractor. */
  readonly extractor: string;
}

/** A text, or why there is none. */
export interface StoredFileText {
  readonly text: string | null;
  readonly failure: string | null;
  /** Of a PDF; null if they could not be counted. */
  readonly pages: number | null;
}

const ofKey = sql`workspace_id = ${sql.placeholder("workspaceId")}::bigint
  and sha256 = ${sql.placeholder("sha256")} and extractor = ${sql.placeholder("extractor")}`;

const findStatement = statement<FileTextKey, StoredFileText>(
  "find_file_text",
  sql`select text, failure, pages from file_texts where ${ofKey}`,
);

/** The text that was extracted from a content in a workspace; undefined if none was. */
export async function findFileText(
  { database }: Process,
  key: FileTextKey,
): Promise<StoredFileText | undefined> {
  return (await findStatement.execute(database.db, key))[0];
}

const pagesStatement = statement<{ workspaceId: number; sha256: string }, { pages: number | null }>(
  "find_file_pages",
  sql`
  select max(pages) as pages from file_texts
  where workspace_id = ${sql.placeholder("workspaceId")}::bigint and sha256 = ${sql.placeholder("sha256")}`,
);

/** The pages of a content, which were counted when its text was extracted; null if they were not. */
export async function findPages(
  { database }: Process,
  { workspaceId, sha256 }: { readonly workspaceId: number; readonly sha256: string | null },
): Promise<number | null> {
  if (sha256 === null) return null;
  const [row] = await pagesStatement.execute(database.db, { workspaceId, sha256 });
  return row?.pages ?? null;
}

// The lock keeps the workspace from being deleted in the meantime, which would leave the text behind.
const saveStatement = statement<
  FileTextKey & StoredFileText & { createdAt: number },
  { extractor: string }
>(
  "save_file_text",
  sql`
  with held as materialized (
    select id from workspaces
    where id = ${sql.placeholder("workspaceId")}::bigint and deleted_at is null
    for key share
  )
  insert into file_texts (workspace_id, sha256, extractor, text, failure, pages, created_at)
  select id, ${sql.placeholder("sha256")}::text, ${sql.placeholder("extractor")}::text,
    ${sql.placeholder("text")}::text, ${sql.placeholder("failure")}::text,
    ${sql.placeholder("pages")}::int, ${sql.placeholder("createdAt")}::bigint
  from held
  on conflict do nothing
  returning extractor`,
);

/** Stores what an extraction gave. The first of several at once stays: they are the same. */
export async function saveFileText(
  core: Process & StorageServices,
  key: FileTextKey,
  { text, failure, pages }: StoredFileText,
): Promise<void> {
  const values = { ...key, text, failure, pages, createdAt: core.now() };
  const saved = await saveStatement.execute(core.database.db, values);
  if (saved.length > 0) core.storage.add(key.workspaceId, text?.length ?? 0);
}

/** A content of a workspace. */
interface Content {
  readonly workspaceId: number;
  /** Null of a file that was not uploaded. */
  readonly sha256: string | null;
}

const forgetStatement = statement<{ contents: string }>(
  "forget_file_texts",
  sql`
  delete from file_texts t
  using json_to_recordset(${sql.placeholder("contents")}::json) as c(workspace_id bigint, sha256 text)
  where t.workspace_id = c.workspace_id and t.sha256 = c.sha256
    and (select true from files f where f.workspace_id = t.workspace_id and f.sha256 = t.sha256
      and f.text is null limit 1) is null`,
);

/** Deletes the texts of contents at once of which their workspaces have no file any more. */
export async function forgetFileTexts(db: Queryable, contents: readonly Content[]): Promise<void> {
  if (contents.length === 0) return;
  const columns = contents.map(({ workspaceId, sha256 }) => ({
    workspace_id: workspaceId,
    sha256,
  }));
  await forgetStatement.execute(db, { contents: JSON.stringify(columns) });
}

/** Texts that a statement looks at. */
const TEXTS_AT_ONCE = 500;
/** A file of an extraction that runs may just have been deleted, or one of a new version not yet be known here. */
const KEPT_MS = 86_400_000;

interface SweepPlace extends FileTextKey {
  readonly before: number;
}

interface Swept {
  readonly last: FileTextKey | null;
  readonly freed: readonly { readonly workspaceId: number; readonly bytes: number }[];
}

const sweepStatement = statement<SweepPlace, Swept>(
  "sweep_file_texts",
  sql`
  with page as materialized (
    select workspace_id, sha256, extractor, created_at from file_texts
    where (workspace_id, sha256, extractor) > (${sql.placeholder("workspaceId")}::bigint,
      ${sql.placeholder("sha256")}::text, ${sql.placeholder("extractor")}::text)
    order by workspace_id, sha256, extractor limit ${sql.raw(String(TEXTS_AT_ONCE))}
  ),
  gone as (
    delete from file_texts t using page p
    where t.workspace_id = p.workspace_id and t.sha256 = p.sha256 and t.extractor = p.extractor
      and p.created_at < ${sql.placeholder("before")}::bigint
      and (select true from files f where f.workspace_id = p.workspace_id and f.sha256 = p.sha256
        and f.text is null limit 1) is null
    returning t.workspace_id, coalesce(length(t.text), 0) as bytes
  )
  select
    (select json_build_object('workspaceId', workspace_id, 'sha256', sha256, 'extractor', extractor)
      from page order by workspace_id desc, sha256 desc, extractor desc limit 1) as last,
    (select coalesce(json_agg(json_build_object('workspaceId', workspace_id, 'bytes', bytes)), '[]')
      from gone) as freed`,
);

const FIRST: FileTextKey = { workspaceId: 0, sha256: "", extractor: "" };

/**
 * Creates what deletes the texts of which their workspace has no file any more, a page at a time. A call gives the
 * number of deleted texts; the next one continues behind what it looked at.
 */
export function createFileTextSweep(core: Process & StorageServices): () => Promise<number> {
  let place = FIRST;
  return async () => {
    const before = core.now() - KEPT_MS;
    const [swept] = await sweepStatement.execute(core.database.db, { ...place, before });
    place = swept?.last ?? FIRST;
    const freed = swept?.freed ?? [];
    for (const { workspaceId, bytes } of freed) core.storage.add(workspaceId, -bytes);
    return freed.length;
  };
}
