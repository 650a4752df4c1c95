import { agents, apiKeys, conversations, type Queryable, users } from "@parley/db";
import { type BudgetScope, type ErrorType, invalidRequest, ParleyError } from "@parley/schema";
import { and, eq } from "drizzle-orm";

/** What a budget of a scope may be for, one by itself. */
const subjects = {
  api_key: { table: apiKeys, what: "key", error: "api_key_not_found" },
  agent: { table: agents, what: "agent", error: "agent_not_found" },
  user: { table: users, what: "user", error: "member_not_found" },
  conversation: { table: conversations, what: "conversation", error: "conversation_not_found" },
} as const satisfies Partial<Record<BudgetScope, { error: ErrorType; [name: string]: unknown }>>;

interface Subject {
  readonly workspaceId: number;
  readonly scope: BudgetScope;
  readonly subject: string | undefined;
}

/** Throws the `…_not_found` that fits if the workspace does not have the subject. */
export async function requireSubject(
  db: Queryable,
  { workspaceId, scope, subject }: Subject,
): Promise<void> {
  if (subject === undefined) return;
  if (!(scope in subjects)) {
    const message = `a budget of scope ${scope} limits no single subject: leave it out`;
    throw invalidRequest("body", [{ path: "subjectId", message }]);
  }
  const { table, what, error } = subjects[scope as keyof typeof subjects];
  const isIt = and(eq(table.workspaceId, workspaceId), eq(table.sid, subject));
  if ((await db.$count(table, isIt)) > 0) return;
  throw new ParleyError(error, `subjectId: the workspace has no ${what} ${subject}`);
}
