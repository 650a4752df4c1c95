/** How many bytes rows take, a page of them at a time. */
import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Bytes for a row with its place in the indexes, beside its long columns. */
const ROW_BYTES = 200;
const CONVERSATIONS_AT_ONCE = 100;
const INVOCATIONS_AT_ONCE = 500;
const DELIVERIES_AT_ONCE = 1000;

const workspaceId = sql`${sql.placeholder("workspaceId")}::bigint`;
const rowBytes = sql.raw(String(ROW_BYTES));

/** The stored size of columns, compressed as they are; long values are not read for it. */
const sizeOf = (alias: string, ...columns: string[]): SQL =>
  sql.raw(columns.map((column) => `coalesce(pg_column_size(${alias}.${column}), 0)`).join(" + "));

/** The bytes of a row of a table with an alias. */
export const rowBytesOf = (alias: string, columns: readonly string[]): SQL =>
  sql`${rowBytes} + ${sizeOf(alias, ...columns)}`;

/** The bytes of the rows of a query in which the table has an alias. */
const bytesOf = (alias: string, columns: readonly string[], from: SQL): SQL =>
  sql`(select coalesce(sum(${rowBytesOf(alias, columns)}), 0)::float8 from ${from})`;

/** The tables of versions, with their long columns. */
export const versionTables = {
  agent: {
    table: "agents",
    columns: ["instructions", "description", "script", "response_format", "tags"],
  },
  function: {
    table: "sandbox_function_versions",
    columns: ["program", "input_schema", "output_schema"],
  },
  skill: { table: "skill_definitions", columns: ["definition"] },
} as const;

const eventsOf = (logIds: SQL): SQL =>
  bytesOf("e", ["payload"], sql`events e where e.log_id in (${logIds})`);

const filesOf = (where: SQL): SQL =>
  sql`(select coalesce(sum(${rowBytes} + f.size_bytes + ${sizeOf("f", "text")}), 0)::float8
    from files f where f.workspace_id = ${workspaceId} and ${where})`;

export interface Page {
  readonly last: number | null;
  readonly bytes: number;
}

export const conversationsStatement = statement<{ workspaceId: number; after: number }, Page>(
  "count_stored_conversations",
  sql`
  with page as materialized (
    select id, sid, position from conversations
    where workspace_id = ${workspaceId} and position > ${sql.placeholder("after")}::bigint
    order by position limit ${sql.raw(String(CONVERSATIONS_AT_ONCE))}
  ),
  said as materialized (
    select m.id, m.sid, ${rowBytes} + ${sizeOf(
      "m",
      "content",
      "context",
      "mentions",
      "prompt_values",
      "chain_of_thought",
      "raw_contents",
      "response_format",
      "answer_settings",
      "structured_output",
      "error",
      "steps",
      "fragment",
    )} as bytes
    from page join messages m on m.conversation_id = page.id
  )
  select (select max(position)::float8 from page) as last,
    (select count(*) * ${rowBytes} from page)
      + (select coalesce(sum(bytes), 0)::float8 from said)
      + ${bytesOf(
        "a",
        ["params", "output", "generated_files", "citations"],
        sql`said join actions a on a.message_id = said.id`,
      )}
      + ${eventsOf(sql`select sid from page union all select sid from said`)}
      + ${filesOf(sql`f.conversation_id in (select id from page)`)} as bytes`,
);

/** What has rows by the page of its own, which are counted a page at a time. */
interface Paged {
  readonly kind: "function" | "webhook";
  readonly id: number;
}

export const pagedStatement = statement<{ workspaceId: number }, Paged>(
  "list_paged_storage",
  sql`
  select 'function' as kind, id::float8 as id from sandbox_functions where workspace_id = ${workspaceId}
  union all
  select 'webhook', id::float8 from webhooks where workspace_id = ${workspaceId}`,
);

export const deliveriesStatement = statement<{ webhookId: number; after: number }, Page>(
  "count_stored_deliveries",
  sql`
  with page as materialized (
    select id, ${rowBytesOf("d", ["subject", "attempts", "response_body"])} as bytes
    from webhook_deliveries d
    where webhook_id = ${sql.placeholder("webhookId")}::bigint and id > ${sql.placeholder("after")}::bigint
    order by id limit ${sql.raw(String(DELIVERIES_AT_ONCE))}
  )
  select (select max(id)::float8 from page) as last,
    (select coalesce(sum(bytes), 0)::float8 from page) as bytes`,
);

export const invocationsStatement = statement<{ functionId: number; after: number }, Page>(
  "count_stored_invocations",
  sql`
  with page as materialized (
    select id, sid, ${rowBytes} + ${sizeOf("i", "input", "result", "error")} as bytes
    from invocations i
    where function_id = ${sql.placeholder("functionId")}::bigint and id > ${sql.placeholder("after")}::bigint
    order by id limit ${sql.raw(String(INVOCATIONS_AT_ONCE))}
  )
  select (select max(id)::float8 from page) as last,
    (select coalesce(sum(bytes), 0)::float8 from page) + ${eventsOf(sql`select sid from page`)} as bytes`,
);

/** The bytes of rows of a table with the column `workspace_id`. */
const owned = (table: string, ...columns: string[]): SQL =>
  bytesOf("t", columns, sql`${sql.raw(table)} t where t.workspace_id = ${workspaceId}`);

/** The bytes of rows that belong to a row of such a table. */
const ownedBy = (table: string, column: string, owner: string, ...columns: string[]): SQL =>
  bytesOf(
    "t",
    columns,
    sql`${sql.raw(owner)} o join ${sql.raw(table)} t on t.${sql.raw(column)} = o.id
      where o.workspace_id = ${workspaceId}`,
  );

const { agent, function: ofFunction, skill } = versionTables;

export const restStatement = statement<{ workspaceId: number }, { readonly bytes: number }>(
  "count_stored_rest",
  sql`select ${sql.join(
    [
      filesOf(sql`f.conversation_id is null`),
      owned("file_texts", "text"),
      ownedBy(
        "data_source_nodes",
        "view_id",
        "data_source_views",
        "content",
        "search",
        "tags",
        "parents",
      ),
      ownedBy("data_source_tables", "view_id", "data_source_views", "description", "columns"),
      ownedBy("data_source_rows", "view_id", "data_source_views", "row_id", "cells"),
      ownedBy("document_parts", "view_id", "data_source_views", "content", "words", "headings"),
      ownedBy("part_vectors", "view_id", "data_source_views", "vector", "signs"),
      owned(agent.table, ...agent.columns),
      ownedBy(ofFunction.table, "function_id", "sandbox_functions", ...ofFunction.columns),
      owned("skills", "instructions", "instructions_html", "source_metadata"),
      ownedBy(skill.table, "skill_id", "skills", ...skill.columns),
      owned("tools", "server"),
      owned("client_servers", "offer", "pending"),
      ownedBy("client_requests", "server_id", "client_servers", "answer"),
      bytesOf(
        "e",
        ["payload"],
        sql`client_servers o join events e on e.log_id = o.sid where o.workspace_id = ${workspaceId}`,
      ),
      owned("users", "full_name", "image"),
      owned("user_tokens", "space_ids"),
      owned("api_keys", "name"),
      owned("spaces", "name"),
      owned("web_sources", "url", "tags", "last_refresh"),
      ownedBy("web_pages", "web_source_id", "web_sources", "url", "links", "etag", "reason"),
      owned("webhooks", "url", "description", "events"),
      owned("trace_destinations", "name", "url", "header_names"),
      owned("feedbacks", "content"),
      owned("conversation_summaries", "text", "carried", "progress", "steps"),
      owned("recorded_requests", "template", "parts"),
      owned("request_pieces", "text"),
      ownedBy("memory_files", "scope_id", "memory_scopes", "content", "derived_from"),
      bytesOf(
        "t",
        ["content", "derived_from", "origin"],
        sql`memory_scopes o join memory_files f on f.scope_id = o.id join memory_versions t on t.file_id = f.id
          where o.workspace_id = ${workspaceId}`,
      ),
      ownedBy("memory_proposals", "scope_id", "memory_scopes", "content", "derived_from", "origin"),
      owned("triggers", "mapping"),
      owned("trigger_events", "headers", "body", "message"),
      owned("idempotency_keys", "scope"),
      bytesOf(
        "t",
        ["route", "actor_name"],
        sql`workspaces w join audit_events t on t.workspace_id = w.sid where w.id = ${workspaceId}`,
      ),
    ],
    sql` + `,
  )} as bytes`,
);
