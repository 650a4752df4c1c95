import type { BudgetScope } from "@parley/db";

/** A limit of which nothing is left. */
export interface SpentLimit {
  readonly scope: BudgetScope;
  /** In milliseconds; null for a period without an end. */
  readonly endsAt: number | null;
}

/** Names of scopes in messages to whom they limit. */
export const scopeNames: Readonly<Record<BudgetScope, string>> = {
  server: "the server",
  workspace: "the workspace",
  api_key: "this API key",
  agent: "this agent",
  user: "this user",
  conversation: "this conversation",
};

/** Says that a limit of `what` is used up, whose it is and until when: no figure, which may be others'. */
export function describeSpent(what: string, { scope, endsAt }: SpentLimit): string {
  const end = endsAt === null ? "" : `; its period ends at ${new Date(endsAt).toISOString()}`;
  return `The limit of ${what} of ${scopeNames[scope]} is used up${end}`;
}
