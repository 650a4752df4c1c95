import { statement } from "@parley/db";
import type { WorkspaceUsage } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { storedBytesLimit } from "../storage/stored-limits.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { administeredWorkspace } from "./administered-workspace.ts";

const id = sql`${sql.placeholder("workspaceId")}::bigint`;
const countOf = (rows: SQL) => sql`(select count(*)::float8 from ${rows})`;

// Each part reads one index, but for the numbers of messages, which are in the rows of the conversations.
// With a million conversations and as many invocations it took 0.25 s. Only conversations from before
// the counts have their messages counted one by one.
const usageStatement = statement<
  { workspaceId: number },
  Omit<WorkspaceUsage, "storedBytesLimit"> & { readonly budget: number | null }
>(
  "read_workspace_usage",
  sql`
  select talks.conversations, talks.messages,
    ${countOf(sql`invocations i where i.function_id in
      (select f.id from sandbox_functions f where f.workspace_id = ${id})`)} as invocations,
    uploads.files, uploads."fileBytes",
    coalesce((select greatest(0, s.counted_bytes + s.added_bytes)
      from workspace_storage s where s.workspace_id = ${id}), 0)::float8 as "storedBytes",
    ${storedBytesLimit(id)}::float8 as budget,
    ${countOf(sql`users u
      where u.workspace_id = ${id} and (u.email <> '' or u.external_id is not null)
        and u.removed_at is null`)} as members,
    ${countOf(sql`api_keys k where k.workspace_id = ${id} and k.revoked_at is null`)} as keys,
    ${countOf(sql`agents a
      where a.workspace_id = ${id} and a.is_current and a.status = 'active'`)} as agents,
    ${countOf(sql`skills s where s.workspace_id = ${id} and s.status = 'active'`)} as skills,
    ${countOf(sql`sandbox_functions f
      where f.workspace_id = ${id} and f.status = 'active' and f.tool_id is null
        and f.client_user_id is null`)} as functions,
    ${countOf(sql`runs r where r.workspace_id = ${id} and r.status = 'waiting' and r.kind = 'agent_turn'`)}
      + ${countOf(sql`runs r where r.workspace_id = ${id} and r.status = 'waiting' and r.kind = 'invocation'`)}
      + ${countOf(sql`runs r where r.workspace_id = ${id} and r.status = 'queued'`)} as "runsWaiting",
    ${countOf(sql`runs r where r.workspace_id = ${id} and r.status = 'running'`)} as "runsRunning"
  from (
    select count(*)::float8 as conversations, coalesce(sum(coalesce(c.message_count,
      (select count(*) from messages m where m.conversation_id = c.id))), 0)::float8 as messages
    from conversations c where c.workspace_id = ${id}
  ) talks, (
    select count(*)::float8 as files, coalesce(sum(size_bytes), 0)::float8 as "fileBytes"
    from files where workspace_id = ${id} and conversation_id is null
  ) uploads`,
);

/**
 * Counts what a workspace holds, as it is now. The time grows with the workspace, so it uses the connections
 * for work on many rows, of which a process has two.
 */
export async function readWorkspaceUsage(
  request: RequestContext & StorageServices,
  { wId }: { wId: string },
): Promise<WorkspaceUsage> {
  const { database } = onSlowDatabase(request);
  const workspace = await administeredWorkspace(request, database.db, wId);
  const [usage] = await usageStatement.execute(database.db, { workspaceId: workspace.id });
  if (usage === undefined) throw new Error("The statement has no row");
  const { budget, ...counted } = usage;
  const { limitBytes } = request.storage;
  return { ...counted, storedBytesLimit: Math.min(limitBytes, budget ?? limitBytes) };
}
