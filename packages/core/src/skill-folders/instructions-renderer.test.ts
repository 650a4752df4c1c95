import { describe, expect, it } from "vitest";
import { createInstructionsRenderer } from "./instructions-renderer.ts";

const MEGABYTE = 1024 * 1024;
const fill = (part: string) => part.repeat(MEGABYTE / part.length);

describe("createInstructionsRenderer", () => {
  it("renders texts in their order, and as none where there are none", async () => {
    const render = createInstructionsRenderer();
    const texts = ["# A", "", "*b*"].map((text) => ({ path: "x", text }));
    expect(await render(texts)).toEqual(["<h1>A</h1>\n", "", "<p><em>b</em></p>\n"]);
    expect(await render([])).toEqual([]);
  });

  it("refuses what takes too long by name, and renders the next", async () => {
    const render = createInstructionsRenderer(1000);
    const refused = render([{ path: "a/SKILL.md", text: fill("<b>") }]);
    const next = render([{ path: "b/SKILL.md", text: "*b*" }]);
    await expect(refused).rejects.toMatchObject({
      type: "invalid_request_error",
      issues: [{ path: "a/SKILL.md", message: "takes more than 1000 ms to render" }],
    });
    expect(await next).toEqual(["<p><em>b</em></p>\n"]);
  });

  it("refuses more requests than may wait", async () => {
    const render = createInstructionsRenderer();
    const requests = Array.from({ length: 17 }, () => render([{ path: "x", text: "a" }]));
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { type: "rate_limit_error" } },
    ]);
  });
});
