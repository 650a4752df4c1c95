import { endpoints, parseInput } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { divideTestDocuments } from "../../testing/retrieval.ts";
import { upsertDocument } from "../knowledge/documents.ts";
import { nearestOf } from "./near-words.ts";
import { searchParts } from "./search-parts.ts";

describe("the words that a misspelt one may stand for", () => {
  it.each([
    ["the nearest alone", ["insurence"], ["insurance", "insurances", "assurance"], ["insurance"]],
    ["all that are as near", ["batery"], ["battery", "bakery"], ["bakery", "battery"]],
    [
      "three at most",
      ["abcdef"],
      ["abcdea", "abcdeb", "abcdec", "abcded"],
      ["abcdea", "abcdeb", "abcdec"],
    ],
    ["those near to a stem", ["retrned", "retrn"], ["return"], ["return"]],
    ["none that differs by more than two letters", ["pomegranate"], ["promenade", "granite"], []],
    ["none of none", ["word"], [], []],
  ])("are %s", (_what, forms, lexemes, nearest) => {
    expect(nearestOf(forms, lexemes)).toEqual(nearest);
  });
});

describe("a misspelt word of a query", () => {
  const test = workspaceTest({ role: "builder" });

  it.each(["thermostta", "thremostat", "thermstat", "thxrmostat", "thermosttat"])(
    "is not taken for other words that have pieces of it: %s",
    async (query) => {
      const { workspaceId: wId } = test;
      const { space } = await test.operator.createSpace({ wId, name: "Open" });
      const given = { wId, spaceId: space.sId, name: "Handbook" };
      const { dataSourceId: dsId } = (await test.operator.createDataSourceView(given))
        .dataSourceView;
      const texts = {
        // All pieces of the word, in others.
        pieces: "Thermos, hermost, rmosta, mostat, ostatic.",
        meant: "The thermostat of the cellar.",
      };
      for (const [documentId, text] of Object.entries(texts)) {
        const raw = { wId, dsId, documentId, title: "x", text };
        await upsertDocument(test.context, parseInput(endpoints["documents.upsert"], raw));
      }
      await divideTestDocuments(test.core);
      const { caller } = test.context;
      const { signal } = new AbortController();
      const asked = { query, filters: {}, limit: 1 };
      const { parts } = await searchParts(test.core, { caller, signal }, asked);
      expect(parts.map(({ documentId }) => documentId)).toEqual(["meant"]);
    },
  );
});
