import { startFakeEmbeddings } from "@parley/agent/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { createParley, createRpcClient, type Parley } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import {
  type Corpus,
  createCorpus,
  inOtherLetters,
  questionKinds,
  recallAt10,
} from "../retrieval/corpus.ts";
import { readUsage, usageBetween } from "../proc.ts";
import { percentile } from "../statistics.ts";

/** Of 50 documents each, all of one part. */
const TOPICS = { quick: 20, full: 200 };
/** Questions of each kind. */
const QUESTIONS = 100;
const UPLOADS_AT_ONCE = 8;
const READY_WITHIN_MS = 30 * 60_000;
const POLL_MS = 250;
/** As common models have. */
const DIMENSIONS = 1536;

/**
 * Measures how many of the first ten parts answer questions whose answers are known, and how long a search takes: by words,
 * by codes and by misspelt words, in three languages, and by words that mean the same; first by words alone, then by meaning
 * alone, and by both. The vectors are of a service whose vectors depend on words and their synonyms: they show that vectors are made,
 * stored, compared and merged, and not how good any model is.
 */
export async function benchRetrieval({
  postgres,
  resources,
  quick,
  print,
}: BenchmarkOptions): Promise<Findings> {
  const database = await postgres.createDatabase(resources, "retrieval");
  const corpus = createCorpus(quick ? TOPICS.quick : TOPICS.full);
  const { synonyms } = corpus;
  const service = await startFakeEmbeddings({ synonyms, dimensions: DIMENSIONS });
  resources.defer(() => service.close());
  const settings = {
    PARLEY_WORKSPACE_BYTES: "4000000000",
    PARLEY_OPENAI_COMPATIBLE_URL: service.url,
  };
  const { demo, subject } = await startParley(resources, database, { settings });
  const readTimes = async () =>
    readUsage({ server: [subject.pid], database: await subject.backends() });
  const { url, workspaceId: wId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
  const rpc = createRpcClient({ url, apiKey });
  const { space } = await rpc.spaces.create.mutate({ wId, name: "Corpus" });
  const view = { wId, spaceId: space.sId, name: "Corpus" };
  const { dataSourceView } = await rpc.dataSourceViews.create.mutate(view);
  const dsId = dataSourceView.dataSourceId;
  print(`Uploading ${corpus.documents.length} documents …\n`);
  const before = await readTimes();
  await upload(parley, dsId, corpus);
  const uploadedAt = performance.now();
  await until(async () => {
    const { running_count: count } = await parley.dataSources.checkUpsertQueue({ dsId });
    return count === 0;
  });
  const dividedAt = performance.now();
  const ofUploads = usageBetween(before, await readTimes());
  const byWords = await ask(parley, corpus, { by: "words", write: (query) => query });
  print("Making vectors …\n");
  const chosenAt = performance.now();
  const embedding = { providerId: "openai_compatible", modelId: "fake" } as const;
  await rpc.workspaces.update.mutate({ wId, embedding });
  await until(async () => {
    const status = await rpc.knowledge.status.query({ wId });
    return status.embedding?.state === "complete";
  });
  const embeddedAt = performance.now();
  print(
    "By meaning alone: each question is asked in other letters, whose words mean the same to the service. Codes and misspelt " +
      "words mean nothing to it. This cannot show how good a model is.\n",
  );
  const byMeaning = await ask(parley, corpus, { by: "meaning alone", write: inOtherLetters });
  const merged = await ask(parley, corpus, { by: "both", write: (query) => query });
  const perDocument = (role: string) => (ofUploads.cpuMs[role] ?? 0) / corpus.documents.length;
  const costs = {
    documents: corpus.documents.length,
    "divided after the last upload, s": (dividedAt - uploadedAt) / 1000,
    "vectors made in, s": (embeddedAt - chosenAt) / 1000,
    "processor time for a document, server, ms": perDocument("server"),
    "database, ms": perDocument("database"),
  };
  const targets = [...byWords.filter(({ named }) => named !== "synonyms"), ...merged];
  return {
    tables: [[...byWords, ...byMeaning, ...merged], [costs]],
    questions: targets.map((row) => ({
      name: `recall@10 of ${row.named} by ${row.by}`,
      of: [row["recall@10"]],
      target: { atLeast: 0.9 },
    })),
  };
}

/** Asks questions of each kind, one after the other. */
async function ask(
  parley: Parley,
  corpus: Corpus,
  { by, write }: { by: string; write: (query: string) => string },
) {
  const rows = [];
  for (const kind of questionKinds) {
    const questions = corpus.questions
      .filter((question) => question.kind === kind)
      .slice(0, QUESTIONS);
    const recalls: number[] = [];
    const tookMs: number[] = [];
    const modes = new Set<string>();
    for (const question of questions) {
      const startedAt = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one search at a time is measured
      const { parts, mode } = await parley.knowledge.search({
        query: write(question.query),
        limit: 10,
      });
      tookMs.push(performance.now() - startedAt);
      modes.add(mode);
      const found = parts.map(({ documentId }) => documentId);
      recalls.push(recallAt10(found, question));
    }
    rows.push({
      named: kind,
      by,
      mode: [...modes].join(", "),
      questions: questions.length,
      "recall@10": recalls.reduce((sum, one) => sum + one, 0) / recalls.length,
      "p50, ms": percentile(tookMs, 0.5),
      "p95, ms": percentile(tookMs, 0.95),
    });
  }
  return rows;
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

/** Waits until something is so. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  // oxlint-disable-next-line no-await-in-loop -- a poll
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("It was not so in time");
    // oxlint-disable-next-line no-await-in-loop -- a poll
    await sleep(POLL_MS);
  }
}
