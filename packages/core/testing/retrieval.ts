import { dataSourceNodes, embeddingSets, partVectors } from "@parley/db";
import { and, eq, isNull } from "drizzle-orm";
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
