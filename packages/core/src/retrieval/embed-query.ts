/** The vector of a search's query. Without one, for whatever reason, a search finds by words and says why. */
import { embeddingSets, type StoredEmbedding } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { type Billing, billingOf } from "../usage/turn-billing.ts";
import { writeUsage } from "../usage/usage-ledger.ts";
import type { EmbeddingSet } from "./embedding-sets.ts";
import { type EmbeddingCore, embedMetered } from "./metered-embedding.ts";
import { indexSchemaOf } from "./vector-indexes.ts";

/** How long a search waits for the vector of its query. */
const QUERY_MS = 3000;
/** After a failure, how long searches do not ask the service. */
const PAUSE_MS = 10_000;

/** Who searches, and what its workspace has chosen. */
export interface MeaningSearcher {
  readonly workspaceId: number;
  /** Null in a workspace without a model for it. */
  readonly embedding: StoredEmbedding | null;
  readonly apiKeyId: number | null;
  readonly userId: number | null;
  readonly signal: AbortSignal;
}

/** A query with its vector; or why meanings are not compared, null in a workspace without a model for it. */
export type QueryMeaning =
  | {
      readonly set: EmbeddingSet;
      readonly vector: readonly number[];
      /** The schema of the extension whose index the set has; null without one. */
      readonly indexSchema: string | null;
    }
  | { readonly reason: string | null };

/** Which sets' services have failed lately, and until when they are not asked. */
const paused = new WeakMap<object, Map<number, number>>();

/** Makes the vector of a query by the model of the set that is searched. */
export async function embedQuery(
  core: EmbeddingCore,
  searcher: MeaningSearcher,
  query: string,
): Promise<QueryMeaning> {
  const { workspaceId, embedding, apiKeyId, userId, signal } = searcher;
  if (embedding === null) return { reason: null };
  const { db } = core.database;
  const billing = sql<Billing>`(${billingOf(sql`${embeddingSets.workspaceId}`, sql`null`)})`;
  const indexSchema = indexSchemaOf(sql`embedding_sets.id`);
  const [found] = await db
    .select({ set: embeddingSets, billing, indexSchema })
    .from(embeddingSets)
    .where(and(eq(embeddingSets.workspaceId, workspaceId), eq(embeddingSets.status, "current")));
  if (found === undefined || found.set.dimensions === null) {
    return { reason: "The vectors of the documents are still being made" };
  }
  const { set } = found;
  const pauses = paused.get(core.database) ?? new Map<number, number>();
  paused.set(core.database, pauses);
  if ((pauses.get(set.id) ?? 0) > core.now()) {
    return {
      reason: "The service that makes vectors has just failed: it is asked again in a few seconds",
    };
  }
  const id = core.newId();
  const place = {
    workspaceId,
    logId: `search ${id}`,
    attempt: 1,
    call: 0,
    spaceId: null,
    origin: "search" as const,
    apiKeyId,
    userId,
  };
  const given = { set, billing: found.billing, place, texts: [query], timeoutMs: QUERY_MS, signal };
  const made = await embedMetered(core, given);
  await writeUsage(db, made.billed);
  if ("stop" in made) {
    if (made.stop === "service" || made.stop === "credential") {
      pauses.set(set.id, core.now() + PAUSE_MS);
    }
    return { reason: made.problem };
  }
  const [vector] = made.vectors;
  return vector === undefined ? { reason: null } : { set, vector, indexSchema: found.indexSchema };
}
