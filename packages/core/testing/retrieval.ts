import { dataSourceNodes, embeddingSets, insertRow, partVectors } from "@parley/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";
import { claimDivisions } from "../src/retrieval/claim-divisions.ts";
import { divideSome, endDivision } from "../src/retrieval/divide-documents.ts";
import { startDivisions } from "../src/retrieval/start-divisions.ts";

/** Divides all documents as a worker does, and gives the number of parts that were written. */
export async function divideTestDocuments(core: Core): Promise<number> {
  let parts = 0;
  await startDivisions(core);
  const request = { workerId: "divider", leaseMs: 60_000, limit: 100, after: 0 };
  const { runs } = await claimDivisions(core, { ...request, held: new Map(), perWorkspace: 100 });
  const { signal } = new AbortController();
  for (const run of runs) {
    for (;;) {
      const batch = await divideSome(core, { run, viewId: run.subject!.viewId }, signal);
      if (batch.documents === 0) break;
      parts += batch.parts;
    }
    await endDivision(core, run);
  }
  return parts;
}

/** How many documents are not divided. */
export async function countUndivided({ database }: Core): Promise<number> {
  const { dividedAt, nodeType } = dataSourceNodes;
  return database.db.$count(dataSourceNodes, and(isNull(dividedAt), eq(nodeType, "document")));
}

/** How many sets of vectors there are, and how many vectors. */
export async function countVectors({ database }: Core): Promise<{ sets: number; vectors: number }> {
  const { db } = database;
  return { sets: await db.$count(embeddingSets), vectors: await db.$count(partVectors) };
}

/** Deletes all vectors, so that no other test's are made. */
export async function clearVectors({ database }: Core): Promise<void> {
  await database.db.delete(partVectors);
  await database.db.delete(embeddingSets);
}

/** Gives each part of a workspace's documents a vector of two dimensions. */
export async function insertTestVectors(
  { database, now }: Core,
  workspaceId: number,
): Promise<void> {
  const set = await insertRow(database.db, embeddingSets, {
    workspaceId,
    providerId: "openai_compatible",
    modelId: "x",
    dimensions: 2,
    status: "current",
    createdAt: now(),
  });
  await database.db.execute(sql`
    insert into part_vectors (view_id, node_id, part_id, set_id, vector, signs)
    select p.view_id, p.node_id, p.part_id, ${set.id}, '\\x7f00', '10'
    from document_parts p join data_source_views v on v.id = p.view_id where v.workspace_id = ${workspaceId}`);
}
