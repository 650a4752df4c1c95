import { afterAll, describe, expect, it } from "vitest";
import { createThreads } from "../../untrusted/threads.ts";
import { renderTexts } from "./instructions-renderer.ts";

const MEGABYTE = 1024 * 1024;
const fill = (part: string) => part.repeat(MEGABYTE / part.length);
const threads = createThreads();
afterAll(() => threads.close());
const options = { workspaceId: 1, origin: "request" } as const;

describe("renderTexts", () => {
  it("renders texts in their order, and as none if there are none", async () => {
    const texts = ["# A", "", "*b*"].map((text) => ({ path: "x", text }));
    expect(await renderTexts(threads, texts, options)).toEqual([
      "<h1>A</h1>\n",
      "",
      "<p><em>b</em></p>\n",
    ]);
    expect(await renderTexts(threads, [], options)).toEqual([]);
  });

  it("refuses what takes too long by name, and renders the next", async () => {
    const slow = [{ path: "a/SKILL.md", text: fill("<b>") }];
    const refused = renderTexts(threads, slow, { ...options, deadlineMs: 1000 });
    const next = renderTexts(threads, [{ path: "b/SKILL.md", text: "*b*" }], options);
    await expect(refused).rejects.toMatchObject({
      type: "invalid_request_error",
      issues: [{ path: "a/SKILL.md", message: "takes more than 1000 ms to render" }],
    });
    expect(await next).toEqual(["<p><em>b</em></p>\n"]);
  });

  it("refuses more of a workspace's requests than may wait, and none of another's", async () => {
    const texts = [{ path: "x", text: "a" }];
    const requests = Array.from({ length: 40 }, () => renderTexts(threads, texts, options));
    const other = renderTexts(threads, texts, { ...options, workspaceId: 2 });
    const outcomes = await Promise.allSettled(requests);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]).toMatchObject({ reason: { type: "rate_limit_error" } });
    expect(await other).toEqual(["<p>a</p>\n"]);
  });
});
