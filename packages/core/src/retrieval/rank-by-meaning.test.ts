import { documentParts, embeddingSets, insertRow, partVectors } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { divideTestDocuments } from "../../testing/retrieval.ts";
import { upsertDocument } from "../knowledge/documents.ts";
import type { EmbeddingSet } from "./embedding-sets.ts";
import { cosinesWith, quantize, signsOf } from "./quantize.ts";
import { searchParts } from "./search-parts.ts";

/** A direction by an angle, in eight dimensions. */
const towards = (degrees: number): number[] => {
  const angle = (degrees * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle), 0.01, -0.01, 0.01, -0.01, 0.01, -0.01];
};

describe("parts in the order of their meaning", () => {
  const test = workspaceTest({ role: "builder" });
  let set: EmbeddingSet;
  beforeEach(async () => {
    const { db } = test.core.database;
    const { space } = await test.operator.createSpace({ wId: test.workspaceId, name: "Open" });
    const given = { wId: test.workspaceId, spaceId: space.sId, name: "Handbook" };
    const { dataSourceView } = await test.operator.createDataSourceView(given);
    const angles = { near: 10, far: 60, away: 120, none: 0 };
    for (const documentId of Object.keys(angles)) {
      const raw = { wId: test.workspaceId, dsId: dataSourceView.dataSourceId, documentId };
      const text = documentId === "near" ? "A word." : `Another ${documentId} word.`;
      await upsertDocument(
        test.context,
        parseInput(endpoints["documents.upsert"], { ...raw, title: "x", text }),
      );
    }
    await divideTestDocuments(test.core);
    const of = { workspaceId: test.workspace.id, providerId: "openai_compatible", modelId: "x" };
    set = await insertRow(db, embeddingSets, {
      ...of,
      dimensions: 8,
      status: "current",
      createdAt: 0,
    });
    for (const { viewId, nodeId, partId } of await db.select().from(documentParts)) {
      if (nodeId === "none") continue;
      const vector = towards(angles[nodeId as keyof typeof angles] ?? 90);
      const stored = { vector: Buffer.from(quantize(vector).buffer), signs: signsOf(vector) };
      await db.insert(partVectors).values({ viewId, nodeId, partId, setId: set.id, ...stored });
    }
  });
  const search = async (query: string, maxExact?: number) => {
    const { caller } = test.context;
    const { signal } = new AbortController();
    const meaning = { set, vector: towards(0), indexSchema: null };
    const found = await searchParts(
      test.core,
      { caller, signal },
      { query, filters: {}, limit: 10, meaning, maxExact },
    );
    return [found.mode, ...found.parts.map(({ documentId }) => documentId)];
  };

  it("are all compared up to a number of them, and those that are not near are left out", async () => {
    expect(await search("zebra", 3)).toEqual(["exact", "near", "far"]);
    expect(await search("!!!", 3)).toEqual(["exact", "near", "far"]);
  });

  it("are compared beyond that if words have found them, and those without a vector stay", async () => {
    expect(await search("zebra", 2)).toEqual(["re-ranked"]);
    const [mode, ...found] = await search("another", 2);
    expect(mode).toBe("re-ranked");
    expect(found[0]).toBe("far");
    expect(found.toSorted()).toEqual(["away", "far", "none"]);
  });
});

it("stores directions so that cosines change by less than a hundredth", () => {
  const numbers = Array.from({ length: 200 }, (_, nth) => Math.sin(nth * 12.9898) * 43_758.5453);
  const vector = numbers.map((one) => one - Math.floor(one) - 0.5);
  const other = vector.map((one, nth) => one + Math.cos(nth));
  const exact = cosineOf(vector, other);
  expect(Math.abs(cosinesWith(vector)(quantize(other)) - exact)).toBeLessThan(0.01);
  expect(cosinesWith(vector)(quantize(vector))).toBeGreaterThan(0.999);
});

function cosineOf(one: readonly number[], other: readonly number[]): number {
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, nth) => sum + value * b[nth]!, 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}
