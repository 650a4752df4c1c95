import { setTimeout as sleep } from "node:timers/promises";
import { createParley, createRpcClient, type Parley } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import { type Corpus, createCorpus, questionKinds, recallAt10 } from "../retrieval/corpus.ts";
import { percentile } from "../statistics.ts";

/** Of 50 documents each. */
const TOPICS = { quick: 20, full: 200 };
const UPLOADS_AT_ONCE = 8;
const DIVIDED_WITHIN_MS = 15 * 60_000;
const POLL_MS = 250;

/**
 * Measures how many of the first ten parts answer questions whose answers are known, and how long a search takes: by words,
 * by codes and by misspelt words, in three languages. Nothing is found by meaning: there is no model.
 */
export async function benchRetrieval({
  postgres,
  resources,
  quick,
  print,
}: BenchmarkOptions): Promise<Findings> {
  const database = await postgres.createDatabase(resources, "retrieval");
  const settings = { PARLEY_WORKSPACE_BYTES: "4000000000" };
  const { demo } = await startParley(resources, database, { settings });
  const { url, workspaceId: wId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
  const rpc = createRpcClient({ url, apiKey });
  const { space } = await rpc.spaces.create.mutate({ wId, name: "Corpus" });
  const view = { wId, spaceId: space.sId, name: "Corpus" };
  const { dataSourceView } = await rpc.dataSourceViews.create.mutate(view);
  const dsId = dataSourceView.dataSourceId;
  const corpus = createCorpus(quick ? TOPICS.quick : TOPICS.full);
  print(`Uploading ${corpus.documents.length} documents …\n`);
  await upload(parley, dsId, corpus);
  const uploadedAt = performance.now();
  await divided(parley, dsId);
  const dividedSeconds = (performance.now() - uploadedAt) / 1000;
  const rows = [];
  for (const kind of questionKinds) {
    const questions = corpus.questions.filter((question) => question.kind === kind);
    const recalls: number[] = [];
    const tookMs: number[] = [];
    for (const question of questions) {
      const startedAt = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one search at a time is measured
      const { parts } = await parley.knowledge.search({ query: question.query, limit: 10 });
      tookMs.push(performance.now() - startedAt);
      recalls.push(
        recallAt10(
          parts.map(({ documentId }) => documentId),
          question,
        ),
      );
    }
    const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
    rows.push({
      named: kind,
      questions: questions.length,
      "recall@10": recall,
      "p50, ms": percentile(tookMs, 0.5),
      "p95, ms": percentile(tookMs, 0.95),
    });
  }
  const costs = {
    documents: corpus.documents.length,
    "divided after the last upload, s": dividedSeconds,
  };
  return {
    tables: [rows, [costs]],
    questions: rows.map((row) => ({
      name: `recall@10 by ${row.named}`,
      of: [row["recall@10"]],
      target: { atLeast: 0.9 },
    })),
  };
}

async function upload(parley: Parley, dsId: string, { documents }: Corpus): Promise<void> {
  const left = documents.values();
  const uploadLeft = async (): Promise<void> => {
    for (const { id: documentId, title, text } of left) {
      // oxlint-disable-next-line no-await-in-loop -- each of the uploads at once is a loop
      await parley.documents.upsert({ dsId, documentId, title, text, async: true });
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, uploadLeft));
}

/** Waits until agents find all documents of a data source. */
async function divided(parley: Parley, dsId: string): Promise<void> {
  const deadline = performance.now() + DIVIDED_WITHIN_MS;
  for (;;) {
    // oxlint-disable no-await-in-loop -- a poll
    const { running_count: count } = await parley.dataSources.checkUpsertQueue({ dsId });
    if (count === 0) return;
    if (performance.now() > deadline)
      throw new Error(`${count} documents were not divided in time`);
    await sleep(POLL_MS);
    // oxlint-enable no-await-in-loop
  }
}
