import {
  claimEmbeddings,
  type ClaimedRun,
  embedSome,
  type EmbeddingSubject,
  endEmbedding,
  implementations,
  LostLease,
  settleLostUsage,
  startEmbeddings,
  takeOverRuns,
} from "@parley/core";
import {
  countTestReservations,
  countVectors,
  divideTestDocuments,
  expireTestLeases,
  insertTestBudget,
  insertTestPrice,
  readTestUsage,
  setTestLimit,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { idsOf, meaningTest, model } from "../../testing/meaning-test.ts";

describe("runs that make vectors", () => {
  const test = meaningTest();

  it("asks again only for parts that have changed", async () => {
    await test.choose(model);
    await test.upload("law", "Every attorney answers within a day.", { title: "Law" });
    await test.upload("cars", "The automobile is red.", { title: "Cars" });
    test.startWorker();
    await test.complete(2);
    expect(test.asked()).toHaveLength(2);
    await test.upload("cars", "The automobile is red.", { title: "Cars", tags: ["new"] });
    await test.upload("law", "Every attorney answers within a day.", { title: "Attorneys" });
    await expect.poll(() => test.asked().at(-1)).toContain("Attorneys");
    await test.complete(2);
    expect(test.asked()).toHaveLength(3);
    await test.upload("law", "No attorney answers.", { title: "Attorneys" });
    await expect.poll(() => test.asked().at(-1)).toContain("No attorney");
    await test.complete(2);
    expect(test.asked()).toHaveLength(4);
    expect(await countVectors(test.core)).toEqual({ sets: 1, vectors: 2 });
  });

  it("waits as the service asks, says why, and continues", async () => {
    test.service.faults.push({
      status: 429,
      message: "slow down",
      headers: { "retry-after": "60" },
    });
    await test.choose(model);
    await test.upload("law", "Every attorney answers within a day.");
    test.startWorker();
    await expect.poll(test.status).toMatchObject({
      mode: "word",
      embedding: { state: "service", retryAt: test.clock.now + 60_000 },
      embeddedParts: 0,
    });
    const { modeReason } = await test.search("lawyer");
    expect(modeReason).toBe("The vectors of the documents are still being made");
    test.clock.now += 61_000;
    await test.complete(1);
    expect(await test.status()).toMatchObject({ embedding: { problem: null, retryAt: null } });
  });

  it("stops where a budget ends, and continues when it has more", async () => {
    const { id } = test.admin.caller.workspace;
    await insertTestPrice(test.core, id, model);
    await test.choose(model);
    // A dollar for a million tokens: the text's bytes times a thousand nano-dollars at most.
    const budget = await insertTestBudget(test.core, id, { limit: 1000n, isHard: true });
    await test.upload("law", "Every attorney answers within a day.");
    test.startWorker();
    await expect.poll(test.status).toMatchObject({ embedding: { state: "budget" } });
    expect(test.asked()).toEqual([]);
    await setTestLimit(test.core, budget.id, 10_000_000n);
    test.clock.now += 61_000;
    await test.complete(1);
    await test.search("lawyer");
    const rows = await readTestUsage(test.core, id);
    const user = { apiKeyId: test.admin.caller.apiKey.id, userId: test.admin.caller.user.id };
    expect(rows).toMatchObject([
      { origin: "embedding", ...model, inputTokens: 7, amount: 7000n, apiKeyId: null },
      { origin: "search", ...model, inputTokens: 1, amount: 1000n, ...user },
    ]);
    expect(await countTestReservations(test.core, id)).toBe(0);
  });

  it("leaves out a text that is too long for the model, and says so if the credential is refused", async () => {
    test.service.maxCharacters = 200;
    await test.choose(model);
    await test.upload("long", `attorney ${"word ".repeat(100)}`);
    for (let nth = 0; nth < 6; nth++)
      await test.upload(`short${nth}`, `The attorney number ${nth}.`);
    test.startWorker();
    await test.complete(7);
    expect(idsOf(await test.search("lawyer"))).toHaveLength(6);
    test.service.apiKey = "sk-other";
    await test.choose({ ...model, modelId: "large" });
    await expect.poll(test.status).toMatchObject({
      embedding: { state: "credential", problem: expect.not.stringContaining("sk-") },
    });
    test.service.apiKey = undefined;
  });

  it("loses no vector when its worker dies, and another one continues after the last batch", async () => {
    const { id } = test.admin.caller.workspace;
    await insertTestPrice(test.core, id, model);
    await insertTestBudget(test.core, id, { limit: 1_000_000_000n, isHard: true });
    await test.choose(model);
    for (let nth = 0; nth < 3; nth++) await test.upload(`law${nth}`, `Attorney number ${nth}.`);
    await divideTestDocuments(test.core);
    await startEmbeddings(test.core);
    expect(await startEmbeddings(test.core)).toBe(0);
    const request = {
      workerId: "w",
      leaseMs: 60_000,
      limit: 9,
      after: 0,
      held: new Map(),
      perWorkspace: 9,
    };
    const [run] = (await claimEmbeddings(test.core, request)).runs;
    const { signal } = new AbortController();
    const embed = (call: number, of: ClaimedRun = run!) =>
      embedSome(
        test.core,
        { run: of, subject: of.subject as EmbeddingSubject, call, most: 1 },
        signal,
      );
    await embed(0);
    // Its lease ends while the test.service answers the second call.
    test.service.onRequest = () => {
      test.service.onRequest = () => {};
      taking = expireTestLeases(test.core).then(() =>
        takeOverRuns(test.core, { workerId: "other", leaseMs: 60_000, limit: 9 }),
      );
    };
    let taking: ReturnType<typeof takeOverRuns> | undefined;
    test.service.delayMs = 300;
    await expect(embed(1)).rejects.toThrow(LostLease);
    test.service.delayMs = 0;
    const [taken] = await taking!;
    expect(await test.status()).toMatchObject({ embeddedParts: 1 });
    let call = 0;
    while (!(await embed(call++, taken)).isLast);
    await endEmbedding(test.core, taken!);
    expect(await test.status()).toMatchObject({ embeddedParts: 3 });
    // Only the call that its lease ended in is sent twice, and its reservation is settled as if it was lost.
    expect(test.asked()).toHaveLength(4);
    test.clock.now += 60_000;
    await settleLostUsage(test.core);
    expect(await countTestReservations(test.core, id)).toBe(0);
    const rows = await readTestUsage(test.core, id);
    expect(rows.map(({ attempt, isEstimated }) => [attempt, isEstimated])).toEqual([
      [1, false],
      [2, false],
      [2, false],
      [1, true],
    ]);
  });

  it("removes vectors with their documents", async () => {
    await test.choose(model);
    await test.upload("law", "Every attorney answers.");
    await test.upload("cars", "An automobile.");
    test.startWorker();
    await test.complete(2);
    const { wId, dsId } = test;
    const input = parseInput(endpoints["documents.delete"], { wId, dsId, documentId: "law" });
    await implementations["documents.delete"](test.admin, input);
    expect(await countVectors(test.core)).toEqual({ sets: 1, vectors: 1 });
    expect(idsOf(await test.search("lawyer"))).toEqual([]);
  });
});
