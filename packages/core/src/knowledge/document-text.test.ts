import { describe, expect, it } from "vitest";
import { parentsOf, textOf } from "./document-text.ts";

describe("the text of a document", () => {
  it("is its sections in order", () => {
    const sections = [
      { prefix: "## Shops\n", content: "Two." },
      { content: "" },
      { content: null },
    ];
    const section = { prefix: "# Handbook\n", content: "Read it.\n", sections };
    expect(textOf({ section })).toBe("# Handbook\nRead it.\n## Shops\nTwo.");
  });

  it.each([{}, { text: "", section: {} }])("is not to be had from %j", (body) => {
    expect(() => textOf(body)).toThrow("must have either text or section");
  });

  it("is bounded in all", () => {
    const content = "x".repeat(300_000);
    expect(() => textOf({ section: { content, sections: [{ content }] } })).toThrow("in all");
  });
});

describe("the parents of a node", () => {
  it.each([
    [{}, ["n"]],
    [{ parent_id: "f" }, ["n", "f"]],
    [{ parents: [] }, ["n"]],
    [{ parents: ["n", "f", "g"] }, ["n", "f", "g"]],
    [{ parents: ["f", "g"], parent_id: "f" }, ["n", "f", "g"]],
  ])("of %j are its own id and those around it", (place, parents) => {
    expect(parentsOf("n", place)).toEqual(parents);
  });

  it.each([
    { parents: ["n", "f"], parent_id: "g" },
    { parents: ["n"], parent_id: "f" },
    { parents: ["f", "n"] },
    { parents: ["n", "f", "f"] },
    { parent_id: "n" },
  ])("of %j are refused", (place) => {
    expect(() => parentsOf("n", place)).toThrow("Invalid request body: parent");
  });
});
