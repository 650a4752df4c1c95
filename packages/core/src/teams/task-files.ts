import { type Queryable, statement, type StoredFragment } from "@parley/db";
import { sql } from "drizzle-orm";

/** A file of a conversation, as a fragment of a task has it. */
export interface TaskFile {
  readonly fileId: string;
  /** Its text, if it is one. */
  readonly content: string;
  readonly fragment: StoredFragment;
}

// What has come with a message, and what a call has made.
const filesStatement = statement<{ conversationId: number; fileIds: string }, TaskFile>(
  "find_files_of_tasks",
  sql`
  with asked as (
    select value as file_id from json_array_elements_text(${sql.placeholder("fileIds")}::json)
  ),
  given as (
    select id, workspace_id, content, fragment from messages
    where conversation_id = ${sql.placeholder("conversationId")} and visibility = 'visible'
  )
  select asked.file_id as "fileId", found.content, found.fragment
  from asked cross join lateral (
    select given.content, given.fragment from given where given.fragment ->> 'fileId' = asked.file_id
    union all
    select coalesce(f.text, ''), jsonb_build_object('fileId', asked.file_id, 'title', made ->> 'title',
      'contentType', made ->> 'contentType', 'sourceUrl', null)
    from given join actions x on x.message_id = given.id
    cross join jsonb_array_elements(x.generated_files) made
    left join files f on f.sid = asked.file_id and f.workspace_id = given.workspace_id
    where made ->> 'fileId' = asked.file_id
    limit 1
  ) found`,
);

/** Finds files that a conversation has: with its messages, or made by a call. Unknown ones are left out. */
export async function findTaskFiles(
  db: Queryable,
  { conversationId, fileIds }: { conversationId: number; fileIds: readonly string[] },
): Promise<ReadonlyMap<string, TaskFile>> {
  if (fileIds.length === 0) return new Map();
  const found = await filesStatement.execute(db, {
    conversationId,
    fileIds: JSON.stringify(fileIds),
  });
  return new Map(found.map((file) => [file.fileId, file]));
}
