import { type Queryable, statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { WorkspaceCaller } from "../context.ts";

interface UserValues extends Record<string, unknown> {
  readonly workspaceId: number;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly now: number;
}

const userLimits = sql`(
  select l.* from limits_of('stored_bytes', ${sql.placeholder("workspaceId")}::bigint,
    ${sql.placeholder("apiKeyId")}::bigint, ${sql.placeholder("userId")}::bigint, null, null,
    ${sql.placeholder("now")}::bigint) l
  where l.scope = 'user' and l.is_hard
)`;

// The rows of the limits let one upload of the user after the other begin.
const lockStatement = statement<UserValues, { budgetId: number }>(
  "lock_user_storage",
  sql`
  insert into budget_spending as s (budget_id, subject, starts_at, ends_at, spent, reserved)
  select l.budget_id, l.subject, l.starts_at, l.ends_at, 0, 0 from ${userLimits} l
  order by l.budget_id, l.subject, l.starts_at
  on conflict (budget_id, subject, starts_at) do update set spent = s.spent
  returning s.budget_id as "budgetId"`,
);

// What is the user's own has no owner if it is the key's.
const sumStatement = statement<UserValues & { ownerId: number | null }, { isFull: boolean }>(
  "sum_user_storage",
  sql`
  with uploaded as (
    select coalesce(sum(f.size_bytes), 0)::bigint as bytes from files f
    where f.workspace_id = ${sql.placeholder("workspaceId")}::bigint and f.conversation_id is null
      and case when ${sql.placeholder("ownerId")}::bigint is null
        then f.owner_id is null and f.api_key_id = ${sql.placeholder("apiKeyId")}::bigint
        else f.owner_id = ${sql.placeholder("ownerId")}::bigint
      end
  )
  update budget_spending s set spent = uploaded.bytes
  from ${userLimits} l, uploaded
  where s.budget_id = l.budget_id and s.subject = l.subject and s.starts_at = l.starts_at
  returning uploaded.bytes > l."limit" as "isFull"`,
);

/**
 * Counts what a user has uploaded, in the transaction that has written one more file of theirs. Throws
 * `budget_exceeded` if a limit of users leaves no room for it.
 */
export async function requireUserRoom(
  db: Queryable,
  {
    caller,
    ownerId,
    now,
  }: { readonly caller: WorkspaceCaller; readonly ownerId: number | null; readonly now: number },
): Promise<void> {
  const { workspace, apiKey, user } = caller;
  const values = { workspaceId: workspace.id, apiKeyId: apiKey.id, userId: user.id, now };
  const limits = await lockStatement.execute(db, values);
  if (limits.length === 0) return;
  const sums = await sumStatement.execute(db, { ...values, ownerId });
  if (!sums.some(({ isFull }) => isFull)) return;
  const message =
    "The limit of stored bytes of this user is used up: delete files, or ask an admin for a higher limit";
  throw new ParleyError("budget_exceeded", message);
}
