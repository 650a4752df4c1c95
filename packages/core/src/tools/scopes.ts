import { type Queryable, toolAuthorizations } from "@parley/db";
import { and, isNull } from "drizzle-orm";
import { isOfUser, type OfUser } from "./authorization-rows.ts";

/** The scopes of these texts, each once. */
export function joinScopes(...texts: readonly (string | null | undefined)[]): string {
  return [...new Set(texts.flatMap((text) => text?.split(" ").filter(Boolean) ?? []))].join(" ");
}

/** The authorization of a user whose token was put aside because it is for less than a server needs. */
export function isAside(named: OfUser) {
  const { token, refreshToken } = toolAuthorizations;
  return and(isOfUser(named), isNull(token), isNull(refreshToken));
}

/** The scope that a user is to allow; null unless its token was put aside because it is for less. */
export async function findMissingScope(db: Queryable, named: OfUser): Promise<string | null> {
  const { scope } = toolAuthorizations;
  const [row] = await db.select({ scope }).from(toolAuthorizations).where(isAside(named));
  return row?.scope ?? null;
}
