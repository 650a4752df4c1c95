import {
  countVectors,
  insertTestBudget,
  insertTestPrice,
  insertTestWorkspace,
  openTestContext,
} from "@parley/core/testing";
import { describe, expect, it } from "vitest";
import { idsOf, meaningTest, model } from "../../testing/meaning-test.ts";

describe("documents that are found by meaning", () => {
  const test = meaningTest();

  it("finds what shares no word with the query, and says how", async () => {
    await test.upload("insurance", "Our automobile insurance is inexpensive.");
    await test.upload("law", "Every attorney answers within a day.");
    test.startWorker();
    await expect.poll(async () => idsOf(await test.search("insurance"))).toEqual(["insurance"]);
    expect(await test.search("a cheap car")).toEqual({ parts: [], mode: "word", modeReason: null });
    await test.choose(model);
    await test.complete(2);
    const found = await test.search("a cheap car");
    expect(found).toMatchObject({ mode: "exact", modeReason: null });
    expect(idsOf(found)[0]).toBe("insurance");
    const { parts } = await test.search("lawyer");
    expect(parts[0]).toMatchObject({ documentId: "law", foundBy: ["meaning"] });
    expect(await test.status()).toMatchObject({ mode: "exact", embedding: { dimensions: 256 } });
    expect(test.service.requests[0]).toMatchObject({ model: "small" });
  });

  it("searches by words and says so while a budget or the service refuses", async () => {
    const { id } = test.admin.caller.workspace;
    await test.choose(model);
    await test.upload("law", "Every attorney answers within a day.");
    test.startWorker();
    await test.complete(1);
    test.service.faults.push({ status: 503 });
    const failed = await test.search("attorney");
    expect(idsOf(failed)).toEqual(["law"]);
    expect(failed).toMatchObject({
      mode: "word",
      modeReason: expect.stringContaining("openai_compatible"),
    });
    const count = test.service.requests.length;
    expect((await test.search("attorney")).modeReason).toContain("has just failed");
    expect(test.service.requests).toHaveLength(count);
    test.clock.now += 10_001;
    expect(await test.search("attorney")).toMatchObject({ mode: "exact", modeReason: null });
    await insertTestPrice(test.core, id, model);
    await insertTestBudget(test.core, id, { limit: 1n, isHard: true });
    const refused = await test.search("attorney");
    expect(refused).toMatchObject({
      mode: "word",
      modeReason: "A budget of the workspace is used up",
    });
    expect(idsOf(refused)).toEqual(["law"]);
  });

  it("builds the vectors of another model beside those that are searched", async () => {
    await test.choose(model);
    await test.upload("law", "Every attorney answers within a day.");
    test.startWorker();
    await test.complete(1);
    test.service.faults.push({ status: 503 });
    test.service.dimensions = 128;
    await test.choose({ ...model, modelId: "large" });
    await expect.poll(test.status).toMatchObject({
      mode: "exact",
      embedding: { modelId: "large", state: "service", isReplacing: true },
      embeddedParts: 0,
    });
    test.service.dimensions = 256;
    expect(idsOf(await test.search("lawyer"))).toEqual(["law"]);
    expect(test.service.requests.at(-1)).toMatchObject({ model: "small" });
    test.service.dimensions = 128;
    test.clock.now += 3_600_000;
    await test.complete(1);
    expect(await test.status()).toMatchObject({
      embedding: { modelId: "large", dimensions: 128, isReplacing: false },
    });
    expect(idsOf(await test.search("lawyer"))).toEqual(["law"]);
    expect(test.service.requests.at(-1)).toMatchObject({ model: "large" });
    const counts = () => countVectors(test.core);
    await expect.poll(counts).toEqual({ sets: 1, vectors: 1 });
    await test.choose({ ...model, modelId: "large", dimensions: 96 });
    await test.complete(1);
    expect(test.service.requests.at(-1)).toMatchObject({ model: "large", dimensions: 96 });
    await test.choose(null);
    await expect.poll(counts).toEqual({ sets: 0, vectors: 0 });
    expect(await test.search("lawyer")).toMatchObject({
      parts: [],
      mode: "word",
      modeReason: null,
    });
  });

  it("finds nothing by meaning that the caller does not reach, or the filters leave out", async () => {
    await test.choose(model);
    const secret = await test.addSource(
      await test.addSpace("Secret", { isRestricted: true, keyIds: [test.admin.caller.apiKey.sid] }),
    );
    await test.upload("open", "An attorney helps.", { tags: ["public"] });
    await test.upload("secret", "An attorney helps.", {}, secret);
    test.startWorker();
    await test.complete(2);
    const other = await insertTestWorkspace(test.core);
    const stranger = await openTestContext(test.core, other, "admin");
    const user = await openTestContext(test.core, test.admin.caller.workspace);
    expect(idsOf(await test.search("lawyer", {}, user))).toEqual(["open"]);
    Object.assign(stranger.caller.workspace, { embedding: { ...model, dimensions: null } });
    expect(idsOf(await test.search("lawyer", {}, stranger))).toEqual([]);
    expect(idsOf(await test.search("lawyer", { tags: ["public"] }))).toEqual(["open"]);
    expect(idsOf(await test.search("lawyer", { excludedTags: ["public"] }, user))).toEqual([]);
    expect(idsOf(await test.search("lawyer", { dataSourceIds: [secret] }, user))).toEqual([]);
    expect(idsOf(await test.search("lawyer", { after: test.clock.now + 1 }, user))).toEqual([]);
  });
});
