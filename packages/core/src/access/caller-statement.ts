import { type Queryable, type Statement, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Reaching } from "./ownership.ts";

/** The numbers of a caller, as values of a statement. */
interface CallerNumbers {
  readonly workspaceId: number;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly spaceIds: readonly number[];
}
type CallerValues = Omit<CallerNumbers, "spaceIds"> & Partial<Pick<CallerNumbers, "spaceIds">>;

/** Values of a statement, none of which has the name of a number of its caller, which would take its place. */
export type OwnValues = Record<string, unknown> & { readonly [N in keyof CallerNumbers]?: never };

/** Runs a statement for a caller, with a value for each of its other placeholders. */
type CallerStatement<Values, Row> = (
  db: Queryable,
  caller: Reaching,
  values: Values,
) => Promise<Row[]>;

/**
 * A named statement with conditions on what its caller reaches. These are made by the same functions as in
 * any other query, from a caller whose numbers are placeholders: once for each combination of what else they
 * can depend on, which is what `Reaching` has besides.
 */
export function statementForCallers<Values extends OwnValues, Row>(
  name: string,
  build: (caller: Reaching) => SQL,
): CallerStatement<Values, Row> {
  const statements = new Map<string, Statement<Values & CallerValues, Row>>();
  return (db, caller, values) => {
    const kind = kindOf(caller);
    const found = statements.getOrInsertComputed(kind, () =>
      statement(`${name}_${kind}`, build(anyCallerLike(caller))),
    );
    return found.execute(db, {
      ...values,
      workspaceId: caller.workspace.id,
      apiKeyId: caller.apiKey.id,
      userId: caller.user.id,
      ...(caller.userToken?.spaceIds && { spaceIds: caller.userToken.spaceIds }),
    });
  };
}

/** What the conditions on a caller depend on, besides its numbers. */
function kindOf({ apiKey, userToken }: Reaching): string {
  if (userToken === undefined) return apiKey.role;
  const kind = `${apiKey.role}_token_${userToken.keyRole}`;
  return userToken.spaceIds === undefined ? kind : `${kind}_spaces`;
}

function anyCallerLike({ kind, apiKey, userToken }: Reaching): Reaching {
  return {
    kind,
    workspace: { id: placeholder("workspaceId") },
    apiKey: { id: placeholder("apiKeyId"), role: apiKey.role },
    user: { id: placeholder("userId") },
    userToken: userToken && {
      keyRole: userToken.keyRole,
      spaceIds: userToken.spaceIds && placeholder("spaceIds"),
    },
  };
}

/** A placeholder if the conditions have a value: Drizzle takes either. */
function placeholder<Name extends keyof CallerNumbers>(name: Name): CallerNumbers[Name] {
  return sql.placeholder(name) as unknown as CallerNumbers[Name];
}
