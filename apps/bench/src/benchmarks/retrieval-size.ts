import { startFakeEmbeddings } from "@parley/agent/testing";
import { createParley, createRpcClient, type Parley } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";
import { readWord, VOCABULARY, writeParts, writeVectors } from "../retrieval/many-parts.ts";
import { openClient, settleDatabase } from "../scratch-database.ts";
import { percentile } from "../statistics.ts";

const PARTS = { quick: 50_000, full: 1_000_000 };
/** As many vectors as are compared one by one, of dimensions that common models have. */
const VECTORS = { quick: 2000, full: 20_000 };
const DIMENSIONS = 1536;
/** Searches of a kind, one after the other. */
const SEARCHES = 60;
/** What the database may take for one of them. */
const AT_MOST = { atMost: 1000 };

/**
 * Measures searches by words and by grams among a million parts, and by meaning among as many vectors as are compared one by
 * one. An index of vectors is not measured: no PostgreSQL of a benchmark has one.
 */
export async function benchRetrievalSize(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, quick, print } = options;
  const size = quick ? "quick" : "full";
  const database = await postgres.createDatabase(resources, "retrieval_size");
  const service = await startFakeEmbeddings({ dimensions: DIMENSIONS });
  resources.defer(() => service.close());
  const settings = { PARLEY_OPENAI_COMPATIBLE_URL: service.url };
  const { demo } = await startParley(resources, database, { settings });
  const { url, workspaceId: wId, adminKey: apiKey } = demo;
  const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
  const rpc = createRpcClient({ url, apiKey });
  const { space } = await rpc.spaces.create.mutate({ wId, name: "Corpus" });
  const addSource = async (name: string) => {
    const made = await rpc.dataSourceViews.create.mutate({ wId, spaceId: space.sId, name });
    return made.dataSourceView.dataSourceId;
  };
  const client = await openClient(resources, database.url);
  const many = await addSource("Many");
  await writeParts(client, { dataSourceId: many, parts: PARTS[size] }, print);
  const compared = await addSource("Compared");
  await writeParts(client, { dataSourceId: compared, parts: VECTORS[size] }, print);
  await settleDatabase(client);
  const wordAt = (share: number) => async (nth: number) =>
    readWord(client, Math.floor(share * VOCABULARY) + nth);
  const misspell = (word: string) => `${word.slice(0, 5)}z${word.slice(6)}`;
  const kinds: Readonly<Record<string, (nth: number) => Promise<string>>> = {
    "a rare word": wordAt(0.9),
    "a frequent word": wordAt(0),
    "three words": async (nth) =>
      `${await wordAt(0.9)(nth)} ${await wordAt(0.5)(nth)} ${await wordAt(0.1)(nth)}`,
    "a misspelt word (grams)": async (nth) => misspell(await wordAt(0.9)(nth)),
  };
  const rows = [];
  for (const [named, queryOf] of Object.entries(kinds)) {
    rows.push({ named, parts: PARTS[size], ...(await ask(parley, many, queryOf)) });
  }
  print("Making vectors …\n");
  await writeVectors(client, { dataSourceId: compared, dimensions: DIMENSIONS });
  await settleDatabase(client);
  const meaning = await ask(parley, compared, async (nth) => `zz${nth} yy${nth}`);
  rows.push({ named: "a meaning", parts: VECTORS[size], ...meaning });
  return {
    tables: [rows],
    questions: rows.map((row) => {
      return { name: `search by ${row.named}, p95: ms`, of: [row["p95, ms"]], target: AT_MOST };
    }),
  };
}

async function ask(
  parley: Parley,
  dataSourceId: string,
  queryOf: (nth: number) => Promise<string>,
) {
  const tookMs: number[] = [];
  const modes = new Set<string>();
  let refused = 0;
  for (let nth = 0; nth < SEARCHES; nth++) {
    const query = await queryOf(nth);
    const startedAt = performance.now();
    try {
      const given = { query, limit: 10, dataSourceIds: [dataSourceId] };
      modes.add((await parley.knowledge.search(given)).mode);
    } catch {
      refused++;
    }
    tookMs.push(performance.now() - startedAt);
  }
  const [p50, p95] = [percentile(tookMs, 0.5), percentile(tookMs, 0.95)];
  return {
    mode: [...modes].join(", "),
    searches: SEARCHES,
    refused,
    "p50, ms": p50,
    "p95, ms": p95,
  };
}
