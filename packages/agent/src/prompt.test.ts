import { describe, expect, it } from "vitest";
import { buildPrompt } from "./prompt.ts";

const user = (content: string) => ({ type: "user_message", content });
const agent = (content: string) => ({ type: "agent_message", content });

describe("buildPrompt", () => {
  it("gives instructions, attachments, questions and answers in their roles and order", () => {
    const contentType = "text/plain";
    const fragment = { type: "content_fragment", title: 'a "b"', contentType, content: "text" };
    expect(buildPrompt("Be kind", [fragment, user("Hi"), agent("Hello"), user("Bye")])).toEqual([
      { role: "system", content: "Be kind" },
      { role: "system", content: '<attachment title="a \\"b\\"" type="text/plain">\ntext' },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "Bye" },
    ]);
  });

  it("has no instructions where the agent has none", () => {
    expect(buildPrompt(null, [user("Hi")])).toEqual([{ role: "user", content: "Hi" }]);
    expect(buildPrompt(null, [])).toEqual([]);
  });

  it.each([
    { name: "fits", sizes: [100_000, 300_000], kept: 2 },
    { name: "is one character too long", sizes: [100_001, 300_000], kept: 1 },
    { name: "has one message that is too long by itself", sizes: [1, 500_000], kept: 1 },
    { name: "has a long message in the middle", sizes: [1, 399_999, 2], kept: 1 },
    { name: "is many messages", sizes: Array.from({ length: 50 }, () => 10_000), kept: 40 },
  ])("keeps the newest messages of a history that $name", ({ sizes, kept }) => {
    const history = sizes.map((size) => user("x".repeat(size)));
    const prompt = buildPrompt("Be kind", history);
    expect(prompt[0]?.role).toBe("system");
    expect(prompt.slice(1).map((message) => message.content.length)).toEqual(sizes.slice(-kept));
  });
});
