import { type FakeEmbeddings, startFakeEmbeddings } from "@parley/agent/testing";
import { implementations, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  clearVectors,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, type FoundParts, type KnowledgeStatus, parseInput } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { WorkerSettings } from "../src/config.ts";
import { createEmbedder } from "../src/models/create-embedder.ts";
import { createWorker } from "../src/worker.ts";

type CoreContext = Awaited<ReturnType<typeof openTestContext>>;

/** The model of the fake service. */
export const model = { providerId: "openai_compatible", modelId: "small" } as const;
const synonyms = {
  car: "automobile",
  cars: "automobile",
  cheap: "inexpensive",
  lawyer: "attorney",
};

/** A workspace whose documents are found by meaning, with the service that makes its vectors. */
export interface MeaningTest extends TestCore {
  readonly service: FakeEmbeddings;
  readonly admin: CoreContext;
  readonly wId: string;
  readonly dsId: string;
  addSpace(name: string, more?: object): Promise<string>;
  addSource(spaceId: string): Promise<string>;
  upload(documentId: string, text: string, more?: object, source?: string): Promise<unknown>;
  choose(embedding: object | null): Promise<void>;
  startWorker(): void;
  status(): Promise<KnowledgeStatus>;
  /** Waits until all parts have a vector; of so many, if it is given. */
  complete(parts?: number): Promise<void>;
  search(query: string, more?: object, by?: CoreContext): Promise<FoundParts>;
  /** The texts that the service was asked for. */
  asked(): string[];
}

/** Opens a core before the tests of a suite; each has a workspace of its own. */
export function meaningTest(): MeaningTest {
  const test = {} as MeaningTest;
  beforeAll(async () => {
    const service = await startFakeEmbeddings({ synonyms });
    const settings = WorkerSettings.parse({ PARLEY_OPENAI_COMPATIBLE_URL: service.url });
    const embed = createEmbedder(settings);
    Object.assign(test, await openTestCore({ safetyPollMs: 60_000, embed }), { service });
  });
  afterAll(async () => {
    await test.close();
    await test.service.close();
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    await clearVectors(test.core);
    Object.assign(test.service, { dimensions: 256, maxCharacters: Infinity });
    test.service.requests.length = 0;
    test.service.faults.length = 0;
    // A failure is not remembered in the next test.
    test.clock.now += 3_600_000;
    const workspace = await insertTestWorkspace(test.core);
    const admin = await openTestContext(test.core, workspace, "admin");
    Object.assign(test, { wId: workspace.sid, admin });
    Object.assign(test, { dsId: await test.addSource(await test.addSpace("Open")) });
  });
  return Object.assign(test, {
    addSpace: async (name: string, more = {}) => {
      const input = parseInput(endpoints["spaces.create"], { wId: test.wId, name, ...more });
      return (await implementations["spaces.create"](test.admin, input)).space.sId;
    },
    addSource: async (spaceId: string) => {
      const given = { wId: test.wId, spaceId, name: "Help" };
      const input = parseInput(endpoints["dataSourceViews.create"], given);
      const made = await implementations["dataSourceViews.create"](test.admin, input);
      return made.dataSourceView.dataSourceId;
    },
    upload: (documentId: string, text: string, more: object = {}, source = test.dsId) => {
      const given = { wId: test.wId, dsId: source, documentId, text, ...more };
      const input = parseInput(endpoints["documents.upsert"], given);
      return implementations["documents.upsert"].make(test.admin, input);
    },
    choose: async (embedding: object | null) => {
      const input = parseInput(endpoints["workspaces.update"], { wId: test.wId, embedding });
      await updateWorkspace(test.admin, input);
      const stored = embedding && { dimensions: null, ...embedding };
      Object.assign(test.admin.caller.workspace, { embedding: stored });
    },
    startWorker: () => {
      const settings = WorkerSettings.parse({});
      const logger = pino({ level: "silent" });
      const worker = createWorker({ core: test.core, settings, logger, mostPauseMs: 50 });
      worker.start();
      onTestFinished(() => worker.close(0));
    },
    status: () => implementations["knowledge.status"](test.admin, { wId: test.wId }),
    complete: async (parts?: number) => {
      const counts = parts === undefined ? {} : { parts, embeddedParts: parts };
      const want = { embedding: { state: "complete" }, ...counts };
      await expect.poll(test.status).toMatchObject(want);
    },
    search: async (query: string, more: object = {}, by = test.admin) => {
      const input = parseInput(endpoints["knowledge.search"], { wId: test.wId, query, ...more });
      return implementations["knowledge.search"](by, input);
    },
    asked: () => test.service.requests.flatMap(({ input }) => input),
  });
}

/** The documents of what was found, the best first. */
export const idsOf = ({ parts }: FoundParts) => parts.map(({ documentId }) => documentId);
