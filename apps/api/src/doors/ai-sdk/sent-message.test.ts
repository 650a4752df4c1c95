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
      kind: "decide",
      messageId: "b",
      decisions: [{ actionId: "x", approved: true }],
    });
  });

  it("passes on nothing of a call but a decision", () => {
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
    ["data:,a%20b", {}, "text/plain", "a b", "file-1"],
    ["data:text/csv;charset=utf-8,a%2Cb", { filename: "t.csv" }, "text/csv", "a,b", "t.csv"],
    ["data:;base64,QQ==", { mediaType: "image/png" }, "image/png", "A", "file-1"],
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
    [[user("a", file("data:,%zz"))], "messages[0].parts[0].url"],
    [[{ ...user("a"), role: "assistant" }], "messages[0].parts"],
  ])("refuses %j with its place", (messages, path) => {
    expect(() => readSent({ ...submit, messages })).toThrow(path);
  });
});
