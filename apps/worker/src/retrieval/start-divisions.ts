import { indexVectors, startDivisions, startEmbeddings, sweepEmbeddingSets } from "@parley/core";
import { type FromTimeToTime, fromTimeToTime } from "../runs/from-time-to-time.ts";

/** Time between looks for documents that are not divided or have no vectors. */
const INTERVAL_MS = 2000;

/** Time between looks for indexes of vectors that are missing. */
const INDEX_INTERVAL_MS = 60_000;

/** Starts divisions and embeddings from time to time. Gives a function that stops it, which resolves once it has. */
export function startDividing(worker: FromTimeToTime): () => Promise<void> {
  const { core } = worker;
  const failed = "Divisions or embeddings could not start";
  return fromTimeToTime({ ...worker, intervalMs: INTERVAL_MS, failed }, async () => {
    await startDivisions(core);
    // A divided document is embedded next, and what is complete is searched.
    await startEmbeddings(core);
    await sweepEmbeddingSets(core);
  });
}

/** Keeps the indexes of vectors as they should be. Gives a function that stops it, which resolves once it has. */
export function startIndexing(worker: FromTimeToTime): () => Promise<void> {
  const failed = "Vectors could not be indexed";
  return fromTimeToTime({ ...worker, intervalMs: INDEX_INTERVAL_MS, failed }, (signal) =>
    indexVectors(worker.core, signal),
  );
}
