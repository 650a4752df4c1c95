import { agents, apiKeys, type Queryable, tools, users, workspaces } from "@parley/db";
import type { MeasureDimension } from "@parley/schema";
import { and, desc, eq, inArray } from "drizzle-orm";

/** What a value of a dimension is, as callers see it. */
interface Named {
  readonly id: string;
  readonly name: string | null;
}

const numbersOf = (values: readonly string[]) => values.map(Number).filter(Number.isSafeInteger);

const byNumber = (rows: readonly { id: number; sid: string; name: string }[]) =>
  new Map(rows.map(({ id, sid, name }) => [String(id), { id: sid, name }]));

/** The public ids and the names of values, as far as there are such things still. */
export async function nameValues(
  db: Queryable,
  { workspaceId, dimension, values }: ValuesOf,
): Promise<ReadonlyMap<string, Named>> {
  if (values.length === 0) return new Map();
  if (dimension === "model") return new Map(values.map((id) => [id, { id, name: id }]));
  if (dimension === "agent" || dimension === "tool") {
    const table = dimension === "agent" ? agents : tools;
    const rows = await db
      .select({ sid: table.sid, name: table.name })
      .from(table)
      .where(and(eq(table.workspaceId, workspaceId), inArray(table.sid, [...values])))
      .orderBy(desc(table.id));
    const found = new Map<string, Named>(values.map((id) => [id, { id, name: null }]));
    for (const { sid, name } of rows) {
      if (found.get(sid)?.name === null) found.set(sid, { id: sid, name });
    }
    return found;
  }
  if (dimension === "workspace") {
    const { id, sid, name } = workspaces;
    const of = inArray(id, numbersOf(values));
    return byNumber(await db.select({ id, sid, name }).from(workspaces).where(of));
  }
  const table = dimension === "key" ? apiKeys : users;
  const { id, sid } = table;
  const name = dimension === "key" ? apiKeys.name : users.fullName;
  return byNumber(
    await db
      .select({ id, sid, name })
      .from(table)
      .where(and(eq(table.workspaceId, workspaceId), inArray(id, numbersOf(values)))),
  );
}

interface ValuesOf {
  readonly workspaceId: number;
  readonly dimension: MeasureDimension | "workspace";
  readonly values: readonly string[];
}

/** How sums name what has a public id; null if the workspace has no such key or user. */
export async function valueOf(
  db: Queryable,
  {
    workspaceId,
    dimension,
    id: named,
  }: Pick<ValuesOf, "workspaceId" | "dimension"> & { readonly id: string },
): Promise<string | null> {
  if (dimension === "workspace") {
    const [row] = await db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(eq(workspaces.sid, named));
    return row === undefined ? null : String(row.id);
  }
  if (dimension !== "key" && dimension !== "user") return named;
  const table = dimension === "key" ? apiKeys : users;
  const [row] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.workspaceId, workspaceId), eq(table.sid, named)));
  return row === undefined ? null : String(row.id);
}
