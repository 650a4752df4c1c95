import { type Queryable, toolAuthorizations } from "@parley/db";
import { and, eq, isNull } from "drizzle-orm";

/** The scopes of these texts, each once. */
export function joinScopes(...texts: readonly (string | null | undefined)[]): string {
  return [...new Set(texts.flatMap((text) => text?.split(" ").filter(Boolean) ?? []))].join(" ");
}

/** The scope that a user is to allow; null unless its token was put aside because it is for less. */
export async function findMissingScope(
  db: Queryable,
  named: { readonly toolId: number; readonly userId: number },
): Promise<string | null> {
  const { toolId, userId, scope, token, refreshToken } = toolAuthorizations;
  const ofUser = and(eq(toolId, named.toolId), eq(userId, named.userId));
  const isAside = and(isNull(token), isNull(refreshToken));
  const [row] = await db.select({ scope }).from(toolAuthorizations).where(and(ofUser, isAside));
  return row?.scope ?? null;
}
