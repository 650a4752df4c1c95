import { describe, expect, it } from "vitest";
import { outputText } from "./output-text.ts";
import { readSent } from "./sent-messages.ts";

const user = (content: unknown) => ({ role: "user", id: "1", content });
const tool = (toolCallId: unknown, content: unknown, more: object = {}) => ({
  role: "tool",
  toolCallId,
  content,
  ...more,
});
const text = (value: string) => ({ type: "text", text: value });

describe("readSent", () => {
  it("reads the last message of the user alone", () => {
    const messages = [user("One"), { role: "assistant", content: "Two" }, user("Three")];
    expect(readSent(messages)).toEqual({ kind: "question", content: "Three" });
    expect(readSent([user([text("a"), text("b")])])).toEqual({ kind: "question", content: "a\nb" });
  });

  it("reads the tool messages at the end", () => {
    const messages = [
      tool("before", "x"),
      user("One"),
      tool("a", "1"),
      tool("b", "", { error: "No" }),
    ];
    expect(readSent(messages)).toEqual({
      kind: "outputs",
      outputs: [
        { actionId: "a", output: "1" },
        { actionId: "b", output: "", isError: true },
      ],
    });
  });

  it.for([
    [[], "messages"],
    [[user("a"), { role: "assistant" }], "messages"],
    [[user(7)], "messages[0].content"],
    [[user([text("a"), { type: "image" }])], "messages[0].content[1]"],
    [[user("a"), tool(7, "x")], "messages[1].toolCallId"],
    [[user("a"), tool("a", null)], "messages[1].content"],
  ] as const)("refuses %j, naming %s", ([messages, path]) => {
    expect(() => readSent([...messages])).toThrow(path);
  });
});

describe("outputText", () => {
  it("is the texts, and the JSON of what is none", () => {
    expect(outputText(null)).toBe("");
    expect(outputText([text("a"), { type: "image", data: "QQ==" }, 7])).toBe(
      'a\n{"type":"image","data":"QQ=="}\n7',
    );
  });
});
