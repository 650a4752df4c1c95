import {
  functionApprovals,
  messages,
  type Queryable,
  sandboxFunctions,
  sandboxFunctionVersions,
  users,
} from "@parley/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { MessageRow } from "../data-access/rows.ts";
import type { SandboxFunction } from "../functions/sandbox-functions.ts";

/** A sandbox function as a tool of a turn's model, under the function's slug. */
export interface TurnFunction {
  readonly slug: string;
  readonly description: string;
  /** JSON Schema of the parameters; null where the function takes any input. */
  readonly inputSchema: Record<string, unknown> | null;
}

/** The subquery of a claim that gives the `TurnFunction`s of the agent `a`. */
export const functionsOfTurn = sql`
  select json_agg(json_build_object(
    'slug', f.slug, 'description', v.description, 'inputSchema', v.input_schema
  ) order by own.position)
  from agent_functions own
  join sandbox_functions f on f.id = own.function_id and f.status = 'active'
  join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
  where own.agent_id = a.id`;

/** The active ones among a workspace's functions, in their current versions, by slug. */
export async function findCalledFunctions(
  db: Queryable,
  workspaceId: number,
  slugs: readonly string[],
): Promise<Map<string, SandboxFunction>> {
  if (slugs.length === 0) return new Map();
  const rows = await db
    .select({ identity: sandboxFunctions, definition: sandboxFunctionVersions })
    .from(sandboxFunctions)
    .innerJoin(
      sandboxFunctionVersions,
      and(
        eq(sandboxFunctionVersions.functionId, sandboxFunctions.id),
        eq(sandboxFunctionVersions.version, sandboxFunctions.version),
      ),
    )
    .where(
      and(
        eq(sandboxFunctions.workspaceId, workspaceId),
        eq(sandboxFunctions.status, "active"),
        inArray(sandboxFunctions.slug, [...new Set(slugs)]),
      ),
    );
  return new Map(
    rows.map(({ identity, definition }) => [identity.slug, { ...identity, definition }]),
  );
}

/** The user for whom an agent message calls functions. */
export interface AskedBy {
  /** The author of the message that it answers. */
  readonly userId: number | null;
  readonly userSid: string | null;
  readonly timezone: string | null;
}

/** Reads the user for whom an agent message calls functions. */
export async function readAskedBy(
  db: Queryable,
  { workspaceId, parentMessageId }: MessageRow,
): Promise<AskedBy> {
  const [row] = await db
    .select({ userId: messages.userId, userSid: users.sid, context: messages.context })
    .from(messages)
    .leftJoin(users, eq(users.id, messages.userId))
    .where(and(eq(messages.sid, parentMessageId ?? ""), eq(messages.workspaceId, workspaceId)));
  return {
    userId: row?.userId ?? null,
    userSid: row?.userSid ?? null,
    timezone: row?.context?.timezone ?? null,
  };
}

/** The ids of those functions that the user has always approved. */
export async function findApproved(
  db: Queryable,
  userId: number | null,
  functionIds: readonly number[],
): Promise<Set<number>> {
  if (userId === null || functionIds.length === 0) return new Set();
  const { functionId } = functionApprovals;
  const rows = await db
    .select({ functionId })
    .from(functionApprovals)
    .where(and(eq(functionApprovals.userId, userId), inArray(functionId, [...functionIds])));
  return new Set(rows.map((row) => row.functionId));
}
