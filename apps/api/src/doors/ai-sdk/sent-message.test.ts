import { describe, expect, it } from "vitest";
import { readSent } from "./sent-message.ts";

const user = (id: string, ...parts: object[]) => ({ id, role: "user", parts });
const text = (value: string) => ({ type: "text", text: value });
const decided = (id: string, approved: boolean) => ({
  type: "dynamic-tool",
  state: "approval-responded",
  approval: { id, approved },
});
const file = (url: string, more: object = {}) => ({ type: "file", url, ...more });

const submit = { id: "c", trigger: "submit-message", messageId: undefined } as const;
const regenerate = { ...submit, trigger: "regenerate-message" } as const;

describe("readSent", () => {
  it("reads the last message alone", () => {
    const messages = [7, null, { role: "assistant" }, user("a", text("One"), text("Two"))];
    const sent = { content: "One\nTwo", files: [] };
    expect(readSent({ ...submit, messages })).toEqual({ kind: "post", ...sent });
    const again = { kind: "regenerate", messageId: undefined, ...sent };
    expect(readSent({ ...regenerate, messages })).toEqual(again);
    expect(readSent({ ...regenerate, messages, messageId: "a" })).toEqual(again);
    const ofAnswer = readSent({ ...regenerate, messages, messageId: "b" });
    expect(ofAnswer).toEqual({ ...again, messageId: "b" });
  });

  it("reads the message that is named, for edits and decisions", () => {
    const answer = { id: "b", role: "assistant", parts: [text("Hm"), decided("x", true)] };
    const messages = [user("a", text("One")), answer, user("c", text("Two"))];
    expect(readSent({ ...submit, messages, messageId: "a" })).toMatchObject({
      kind: "edit",
      messageId: "a",
      content: "One",
    });
    expect(readSent({ ...submit, messages, messageId: "b" })).toEqual({
      kind: "continue",
      messageId: "b",
      decisions: [{ actionId: "x", approved: true }],
      outputs: [],
    });
  });

  it("reads the outputs of calls that the page has run", () => {
    const ran = (toolCallId: string, more: object) => ({
      type: "tool-look",
      state: "output-available",
      toolCallId,
      ...more,
    });
    const parts = [
      ran("a", { output: "Sunny" }),
      ran("b", { output: { degrees: 20 } }),
      ran("c", { state: "output-error", errorText: "No sky" }),
      ran("d", { state: "input-available" }),
      ran("e", { output: "of the server", providerExecuted: true }),
    ];
    const messages = [{ id: "m", role: "assistant", parts }];
    const at = (position: number) => ({ path: `messages[0].parts[${position}]` });
    expect(readSent({ ...submit, messages })).toEqual({
      kind: "continue",
      messageId: "m",
      decisions: [],
      outputs: [
        { actionId: "a", output: "Sunny", isError: false, ...at(0) },
        { actionId: "b", output: '{"degrees":20}', isError: false, ...at(1) },
        { actionId: "c", output: "No sky", isError: true, ...at(2) },
      ],
    });
  });

  it("passes on nothing of a call of the server but a decision", () => {
    const parts = [
      decided("x", false),
      { ...decided("y", true), state: "output-available" },
      { type: "dynamic-tool", state: "approval-requested", approval: { id: "z" } },
    ];
    const messages = [{ id: "b", role: "assistant", parts }];
    expect(readSent({ ...submit, messages })).toMatchObject({
      decisions: [{ actionId: "x", approved: false }],
    });
  });

  it.each([
    ["data:text/plain;base64,QWxwaGE=", {}, "text/plain", "Alpha", "file-1"],
    ["data:text/csv;charset=utf-8;base64,YSxi", { filename: "t.csv" }, "text/csv", "a,b", "t.csv"],
    ["data:text/plain;base64,QQ==", { mediaType: "image/png" }, "image/png", "A", "file-1"],
  ])("reads the file %s", (url, more, contentType, bytes, name) => {
    const { files, content } = readSent({
      ...submit,
      messages: [user("a", file(url, more))],
    }) as Extract<ReturnType<typeof readSent>, { kind: "post" }>;
    expect(files.map((one) => ({ ...one, bytes: one.bytes.toString() }))).toEqual([
      { name, contentType, bytes, path: "messages[0].parts[0]" },
    ]);
    expect(content).toBe(name);
  });

  it.each([
    [[null], "messages[0]"],
    [[user("", text("a"))], "messages[0].id"],
    [[{ ...user("a"), role: "system" }], "messages[0].role"],
    [[user("a")], "messages[0].parts"],
    [[user("a", text(""))], "messages[0].parts"],
    [[user("a", text("x"), file("https://example.com/a.png"))], "messages[0].parts[1].url"],
    [[user("a", file("data:text/plain"))], "messages[0].parts[0].url"],
    [[user("a", file("data:,"))], "messages[0].parts[0].url"],
    [[user("a", file("data:,text"))], "messages[0].parts[0].url"],
    [[{ ...user("a"), role: "assistant" }], "messages[0].parts"],
  ])("refuses %j with its place", (messages, path) => {
    expect(() => readSent({ ...submit, messages })).toThrow(path);
  });
});
