/** Writes what commands change, in the transaction that holds the scope. */
import {
  memoryFiles,
  memoryProposals,
  type MemoryOrigin,
  type MemorySource,
  memoryVersions,
  type Queryable,
} from "@parley/db";
import { MEMORY_BOUNDS } from "@parley/schema";
import { and, eq, inArray, lte } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { MemoryChange } from "./commands.ts";
import { MemoryRefusal } from "./paths.ts";

export type MemoryFileRow = typeof memoryFiles.$inferSelect;

/** Who changes a scope, and what was read before. */
export interface MemoryWriter {
  readonly origin: MemoryOrigin;
  readonly sources: readonly MemorySource[];
  /** Whether the writer has read what it writes, so that earlier sources no longer matter. */
  readonly vouches?: boolean;
}

/** Sources that a file names. */
const MAX_SOURCES = 10;

/** Sources together, each once. */
export function joinSources(...lists: readonly (readonly MemorySource[])[]): MemorySource[] {
  const byKey = new Map(lists.flat().map((source) => [`${source.type} ${source.name}`, source]));
  return [...byKey.values()].slice(0, MAX_SOURCES);
}

interface Change {
  readonly scopeId: number;
  readonly change: MemoryChange;
  readonly writer: MemoryWriter;
}

/** Writes a change of a locked scope, with the new versions of its files. */
export async function writeChange(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  { scopeId, change, writer }: Change,
): Promise<void> {
  const ofPaths = (paths: readonly string[]) =>
    and(eq(memoryFiles.scopeId, scopeId), inArray(memoryFiles.path, [...paths]));
  if (change.kind === "remove") {
    await db.delete(memoryFiles).where(ofPaths(change.paths));
    return;
  }
  const now = core.now();
  if (change.kind === "write") {
    const { path, content } = change;
    const [before] = await db
      .select()
      .from(memoryFiles)
      .where(ofPaths([path]));
    const bytes = Buffer.byteLength(content);
    if (before === undefined) {
      const sid = core.newId("mem");
      const derivedFrom = joinSources(writer.sources);
      const times = { createdAt: now, updatedAt: now };
      const values = { sid, scopeId, path, content, bytes, version: 0, derivedFrom, ...times };
      const [row] = await db.insert(memoryFiles).values(values).returning();
      if (row !== undefined) await writeVersion(db, row, writer);
      return;
    }
    const derivedFrom = writer.vouches
      ? joinSources(writer.sources)
      : joinSources(before.derivedFrom, writer.sources);
    await update(db, before, { content, bytes, derivedFrom, now, writer });
    return;
  }
  const rows = await db
    .select()
    .from(memoryFiles)
    .where(ofPaths(change.moves.map(({ from }) => from)));
  for (const { from, to } of change.moves) {
    const row = rows.find(({ path }) => path === from);
    if (row === undefined) continue;
    const derivedFrom = joinSources(row.derivedFrom, writer.sources);
    await update(db, row, { path: to, derivedFrom, now, writer });
  }
}

async function update(
  db: Queryable,
  before: MemoryFileRow,
  {
    now,
    writer,
    ...columns
  }: Partial<MemoryFileRow> & { readonly now: number; readonly writer: MemoryWriter },
): Promise<void> {
  const version = before.version + 1;
  const [row] = await db
    .update(memoryFiles)
    .set({ ...columns, version, updatedAt: now })
    .where(eq(memoryFiles.id, before.id))
    .returning();
  if (row !== undefined) await writeVersion(db, row, writer);
}

async function writeVersion(
  db: Queryable,
  row: MemoryFileRow,
  { origin }: MemoryWriter,
): Promise<void> {
  const { id: fileId, version, path, content, derivedFrom, updatedAt: createdAt } = row;
  const values = { fileId, version, path, content, derivedFrom, origin, createdAt };
  await db.insert(memoryVersions).values(values);
  const oldest = version - MEMORY_BOUNDS.versions;
  if (oldest < 0) return;
  await db
    .delete(memoryVersions)
    .where(and(eq(memoryVersions.fileId, fileId), lte(memoryVersions.version, oldest)));
}

/** Keeps a change of a locked scope for a person to decide. Throws `MemoryRefusal` for several files, or too many. */
export async function proposeChange(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  { scopeId, change, writer }: Change,
): Promise<void> {
  const parts = partsOf(change);
  if (parts === undefined) {
    throw new MemoryRefusal(
      "Only one file at a time can be changed here, because text from outside was read before",
    );
  }
  const waiting = await db.$count(memoryProposals, eq(memoryProposals.scopeId, scopeId));
  if (waiting >= MEMORY_BOUNDS.proposals) {
    throw new MemoryRefusal(
      `${MEMORY_BOUNDS.proposals} changes wait for approval, which is the most`,
    );
  }
  const ofFile = and(eq(memoryFiles.scopeId, scopeId), eq(memoryFiles.path, parts.path));
  const [before] = await db
    .select({ version: memoryFiles.version, derivedFrom: memoryFiles.derivedFrom })
    .from(memoryFiles)
    .where(ofFile);
  await db.insert(memoryProposals).values({
    sid: core.newId("mpr"),
    scopeId,
    ...parts,
    baseVersion: before?.version ?? null,
    origin: writer.origin,
    derivedFrom: joinSources(writer.sources, before?.derivedFrom ?? []),
    createdAt: core.now(),
  });
}

function partsOf(change: MemoryChange) {
  if (change.kind === "write") {
    const { path, content } = change;
    return { change: "write" as const, path, content, newPath: null };
  }
  if (change.kind === "remove") {
    const [path, ...more] = change.paths;
    if (path === undefined || more.length > 0) return undefined;
    return { change: "remove" as const, path, content: null, newPath: null };
  }
  const [move, ...more] = change.moves;
  if (move === undefined || more.length > 0) return undefined;
  return { change: "move" as const, path: move.from, content: null, newPath: move.to };
}
