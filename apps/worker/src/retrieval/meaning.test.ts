import { type FakeEmbeddings, startFakeEmbeddings } from "@parley/agent/testing";
import { implementations, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  clearVectors,
  countTestReservations,
  countVectors,
  insertTestBudget,
  insertTestPrice,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestUsage,
  setTestLimit,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, type FoundParts, parseInput } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createEmbedder } from "../models/create-embedder.ts";
import { createWorker } from "../worker.ts";

type CoreContext = Awaited<ReturnType<typeof openTestContext>>;

const model = { providerId: "openai_compatible", modelId: "small" } as const;
const synonyms = {
  car: "automobile",
  cars: "automobile",
  cheap: "inexpensive",
  lawyer: "attorney",
};

describe("documents that are found by meaning", () => {
  let test: TestCore;
  let service: FakeEmbeddings;
  let admin: CoreContext;
  let wId: string;
  let dsId: string;
  beforeAll(async () => {
    service = await startFakeEmbeddings({ synonyms });
    const settings = WorkerSettings.parse({ PARLEY_OPENAI_COMPATIBLE_URL: service.url });
    test = await openTestCore({ safetyPollMs: 60_000, embed: createEmbedder(settings) });
  });
  afterAll(async () => {
    await test.close();
    await service.close();
  });
  beforeEach(async () => {
    await clearRuns(test.core);
    await clearVectors(test.core);
    Object.assign(service, { dimensions: 64, maxCharacters: Infinity });
    service.requests.length = 0;
    service.faults.length = 0;
    // A failure is not remembered in the next test.
    test.clock.now += 3_600_000;
    const workspace = await insertTestWorkspace(test.core);
    wId = workspace.sid;
    admin = await openTestContext(test.core, workspace, "admin");
    dsId = await addSource(await addSpace("Open"));
  });
  const addSpace = async (name: string, more = {}) => {
    const input = parseInput(endpoints["spaces.create"], { wId, name, ...more });
    return (await implementations["spaces.create"](admin, input)).space.sId;
  };
  const addSource = async (spaceId: string) => {
    const input = parseInput(endpoints["dataSourceViews.create"], { wId, spaceId, name: "Help" });
    return (await implementations["dataSourceViews.create"](admin, input)).dataSourceView
      .dataSourceId;
  };
  const upload = (documentId: string, text: string, more: object = {}, source = dsId) =>
    implementations["documents.upsert"].make(
      admin,
      parseInput(endpoints["documents.upsert"], { wId, dsId: source, documentId, text, ...more }),
    );
  const choose = async (embedding: object | null) => {
    await updateWorkspace(admin, parseInput(endpoints["workspaces.update"], { wId, embedding }));
    const { workspace } = admin.caller;
    Object.assign(workspace, { embedding: embedding && { dimensions: null, ...embedding } });
  };
  const startWorker = () => {
    const settings = WorkerSettings.parse({});
    const worker = createWorker({ core: test.core, settings, logger: pino({ level: "silent" }) });
    worker.start();
    onTestFinished(() => worker.close(0));
    return worker;
  };
  const status = () => implementations["knowledge.status"](admin, { wId });
  const complete = async (parts?: number) => {
    const want = {
      embedding: { state: "complete" },
      ...(parts && { parts, embeddedParts: parts }),
    };
    await expect.poll(status, { timeout: 20_000 }).toMatchObject(want);
  };
  const search = async (query: string, more: object = {}, by = admin): Promise<FoundParts> =>
    implementations["knowledge.search"](
      by,
      parseInput(endpoints["knowledge.search"], { wId, query, ...more }),
    );
  const idsOf = ({ parts }: FoundParts) => parts.map(({ documentId }) => documentId);
  const asked = () => service.requests.flatMap(({ input }) => input);

  it("finds what shares no word with the query, and says how", async () => {
    await upload("insurance", "Our automobile insurance is inexpensive.");
    await upload("law", "Every attorney answers within a day.");
    startWorker();
    await expect.poll(async () => idsOf(await search("insurance"))).toEqual(["insurance"]);
    expect(await search("a cheap car")).toEqual({ parts: [], mode: "word", modeReason: null });
    await choose(model);
    await complete(2);
    const found = await search("a cheap car");
    expect(found).toMatchObject({ mode: "exact", modeReason: null });
    expect(idsOf(found)[0]).toBe("insurance");
    expect(idsOf(await search("lawyer"))[0]).toBe("law");
    expect(await status()).toMatchObject({ mode: "exact", embedding: { dimensions: 64 } });
    expect(service.requests[0]).toMatchObject({ model: "small" });
  });

  it("asks again only for parts that have changed", async () => {
    await choose(model);
    await upload("law", "Every attorney answers within a day.", { title: "Law" });
    await upload("cars", "The automobile is red.", { title: "Cars" });
    startWorker();
    await complete(2);
    expect(asked()).toHaveLength(2);
    await upload("cars", "The automobile is red.", { title: "Cars", tags: ["new"] });
    await upload("law", "Every attorney answers within a day.", { title: "Attorneys" });
    await expect.poll(() => asked().at(-1)).toContain("Attorneys");
    await complete(2);
    expect(asked()).toHaveLength(3);
    await upload("law", "No attorney answers.", { title: "Attorneys" });
    await expect.poll(() => asked().at(-1)).toContain("No attorney");
    await complete(2);
    expect(asked()).toHaveLength(4);
    expect(await countVectors(test.core)).toEqual({ sets: 1, vectors: 2 });
  });

  it("waits as the service asks, says why, and continues", async () => {
    service.faults.push({ status: 429, message: "slow down", headers: { "retry-after": "60" } });
    await choose(model);
    await upload("law", "Every attorney answers within a day.");
    startWorker();
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({
      mode: "word",
      embedding: { state: "service", retryAt: test.clock.now + 60_000 },
      embeddedParts: 0,
    });
    const { modeReason } = await search("lawyer");
    expect(modeReason).toBe("The vectors of the documents are still being made");
    test.clock.now += 61_000;
    await complete(1);
    expect(await status()).toMatchObject({ embedding: { problem: null, retryAt: null } });
  });

  it("stops where a budget ends, and continues when it has more", async () => {
    const { id } = admin.caller.workspace;
    await insertTestPrice(test.core, id, model);
    await choose(model);
    // A dollar for a million tokens: the text's bytes times a thousand nano-dollars at most.
    const budget = await insertTestBudget(test.core, id, { limit: 1000n, isHard: true });
    await upload("law", "Every attorney answers within a day.");
    startWorker();
    await expect
      .poll(status, { timeout: 20_000 })
      .toMatchObject({ embedding: { state: "budget" } });
    expect(asked()).toEqual([]);
    await setTestLimit(test.core, budget.id, 10_000_000n);
    test.clock.now += 61_000;
    await complete(1);
    await search("lawyer");
    const rows = await readTestUsage(test.core, id);
    const user = { apiKeyId: admin.caller.apiKey.id, userId: admin.caller.user.id };
    expect(rows).toMatchObject([
      { origin: "embedding", ...model, inputTokens: 7, amount: 7000n, apiKeyId: null },
      { origin: "search", ...model, inputTokens: 1, amount: 1000n, ...user },
    ]);
    expect(await countTestReservations(test.core, id)).toBe(0);
  });

  it("searches by words and says so while a budget or the service refuses", async () => {
    const { id } = admin.caller.workspace;
    await choose(model);
    await upload("law", "Every attorney answers within a day.");
    startWorker();
    await complete(1);
    service.faults.push({ status: 503 });
    const failed = await search("attorney");
    expect(idsOf(failed)).toEqual(["law"]);
    expect(failed).toMatchObject({
      mode: "word",
      modeReason: expect.stringContaining("openai_compatible"),
    });
    const count = service.requests.length;
    expect((await search("attorney")).modeReason).toContain("has just failed");
    expect(service.requests).toHaveLength(count);
    test.clock.now += 10_001;
    expect(await search("attorney")).toMatchObject({ mode: "exact", modeReason: null });
    await insertTestPrice(test.core, id, model);
    await insertTestBudget(test.core, id, { limit: 1n, isHard: true });
    const refused = await search("attorney");
    expect(refused).toMatchObject({
      mode: "word",
      modeReason: "A budget of the workspace is used up",
    });
    expect(idsOf(refused)).toEqual(["law"]);
  });

  it("builds the vectors of another model beside those that are searched", async () => {
    await choose(model);
    await upload("law", "Every attorney answers within a day.");
    startWorker();
    await complete(1);
    service.faults.push({ status: 503 });
    service.dimensions = 32;
    await choose({ ...model, modelId: "large" });
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({
      mode: "exact",
      embedding: { modelId: "large", state: "service", isReplacing: true },
      embeddedParts: 0,
    });
    service.dimensions = 64;
    expect(idsOf(await search("lawyer"))).toEqual(["law"]);
    expect(service.requests.at(-1)).toMatchObject({ model: "small" });
    service.dimensions = 32;
    test.clock.now += 3_600_000;
    await complete(1);
    expect(await status()).toMatchObject({
      embedding: { modelId: "large", dimensions: 32, isReplacing: false },
    });
    expect(idsOf(await search("lawyer"))).toEqual(["law"]);
    expect(service.requests.at(-1)).toMatchObject({ model: "large" });
    const counts = () => countVectors(test.core);
    await expect.poll(counts, { timeout: 20_000 }).toEqual({ sets: 1, vectors: 1 });
    await choose({ ...model, modelId: "large", dimensions: 16 });
    await complete(1);
    expect(service.requests.at(-1)).toMatchObject({ model: "large", dimensions: 16 });
    await choose(null);
    await expect.poll(counts, { timeout: 20_000 }).toEqual({ sets: 0, vectors: 0 });
    expect(await search("lawyer")).toMatchObject({ parts: [], mode: "word", modeReason: null });
  });

  it("finds nothing by meaning that the caller does not reach, or the filters leave out", async () => {
    await choose(model);
    const secret = await addSource(await addSpace("Secret", { isRestricted: true, keyIds: [admin.caller.apiKey.sid] }));
    await upload("open", "An attorney helps.", { tags: ["public"] });
    await upload("secret", "An attorney helps.", {}, secret);
    startWorker();
    await complete(2);
    const other = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, other, "admin");
    const user = await openTestContext(test.core, admin.caller.workspace);
    expect(idsOf(await search("lawyer", {}, user))).toEqual(["open"]);
    Object.assign(stranger.caller.workspace, { embedding: { ...model, dimensions: null } });
    expect(idsOf(await search("lawyer", {}, stranger))).toEqual([]);
    expect(idsOf(await search("lawyer", { tags: ["public"] }))).toEqual(["open"]);
    expect(idsOf(await search("lawyer", { excludedTags: ["public"] }, user))).toEqual([]);
    expect(idsOf(await search("lawyer", { dataSourceIds: [secret] }, user))).toEqual([]);
    expect(idsOf(await search("lawyer", { after: test.clock.now + 1 }, user))).toEqual([]);
  });

  it("leaves out a text that is too long for the model, and says so if the credential is refused", async () => {
    service.maxCharacters = 200;
    await choose(model);
    await upload("long", `attorney ${"word ".repeat(100)}`);
    for (let nth = 0; nth < 6; nth++) await upload(`short${nth}`, `The attorney number ${nth}.`);
    startWorker();
    await complete(7);
    expect(idsOf(await search("lawyer"))).toHaveLength(6);
    service.apiKey = "sk-other";
    await choose({ ...model, modelId: "large" });
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({
      embedding: { state: "credential", problem: expect.not.stringContaining("sk-") },
    });
    service.apiKey = undefined;
  });
});
