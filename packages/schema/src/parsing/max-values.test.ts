import { describe, expect, it } from "vitest";
import { endpoints } from "../endpoints.ts";
import { MAX_VALUES } from "./json.ts";
import { maxValuesOf } from "./max-values.ts";

describe("the most values of a body", () => {
  it("are those that its schema knows, with its parameters, and 5,000 others", () => {
    // wId, query and limit of pages, lists of ids: none is long.
    const ofSearch = maxValuesOf(endpoints["nodes.search"]);
    expect(ofSearch).toBeGreaterThan(5100);
    expect(ofSearch).toBeLessThan(5500);
    // 100 fragments, each with 100 spaces, and the schemas of tools.
    const ofCreate = maxValuesOf(endpoints["conversations.create"]);
    expect(ofCreate).toBeGreaterThan(15_000);
    expect(ofCreate).toBeLessThan(30_000);
  });

  it.each(["sandboxFunctions.invoke", "tools.invoke", "clientServers.answer"] as const)(
    "are those of the largest body if a member takes any JSON: %s",
    (name) => {
      expect(maxValuesOf(endpoints[name])).toBe(MAX_VALUES);
    },
  );
});
