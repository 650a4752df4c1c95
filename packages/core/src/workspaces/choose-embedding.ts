import { embeddingSets, type Queryable, type StoredEmbedding } from "@parley/db";
import { type EmbeddingModel, ParleyError } from "@parley/schema";
import { and, eq, ne } from "drizzle-orm";
import type { WorkspaceRow } from "../data-access/rows.ts";

/** A model of a service elsewhere is in no region that the server knows of. */
const OWN_SERVER = "openai_compatible";

/** Throws `model_disabled` if the workspace may not send its documents to the model's service. */
export function requireEmbeddingInRegion({
  embedding,
  regionalModelsOnly,
  region,
}: Pick<WorkspaceRow, "embedding" | "regionalModelsOnly" | "region">): void {
  if (embedding === null || !regionalModelsOnly || embedding.providerId === OWN_SERVER) return;
  throw new ParleyError(
    "model_disabled",
    `embedding: ${embedding.providerId}/${embedding.modelId} is not known to be available in the workspace's region, ${region}: ` +
      "use a server of your own, or allow models of other regions",
  );
}

/**
 * Begins a set of vectors for the model that a workspace has chosen, beside the one that searches use; of the same model
 * and dimensions, that is kept. Without a model, all are removed.
 */
export async function chooseEmbedding(
  db: Queryable,
  { workspaceId, now }: { readonly workspaceId: number; readonly now: number },
  chosen: EmbeddingModel | null,
): Promise<StoredEmbedding | null> {
  const ofWorkspace = and(
    eq(embeddingSets.workspaceId, workspaceId),
    ne(embeddingSets.status, "removed"),
  );
  const sets = await db.select().from(embeddingSets).where(ofWorkspace).for("update");
  const isChosen = (set: (typeof sets)[number]): boolean =>
    set.providerId === chosen?.providerId &&
    set.modelId === chosen.modelId &&
    set.askedDimensions === chosen.dimensions;
  const kept = sets.filter(isChosen);
  for (const set of sets) {
    // The searched one stays until the new one is complete.
    const stays = kept.includes(set) || (set.status === "current" && chosen !== null);
    if (stays && !kept.includes(set)) continue;
    const change = stays
      ? { stop: null, problem: null, retryAt: null, failures: 0 }
      : { status: "removed" as const };
    await db.update(embeddingSets).set(change).where(eq(embeddingSets.id, set.id));
  }
  if (chosen === null) return null;
  const { providerId, modelId, dimensions } = chosen;
  if (kept.length === 0) {
    await db.insert(embeddingSets).values({
      workspaceId,
      providerId,
      modelId,
      createdAt: now,
      askedDimensions: dimensions,
      status: "building",
    });
  }
  return { providerId, modelId, dimensions };
}
