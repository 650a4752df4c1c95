import { describe, expect, it } from "vitest";
import { checkMessage, isDeeperThan } from "./check-message.ts";

describe("messages of servers", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"result":{}}', { type: "answer", id: "1" }],
    ['{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}', { type: "answer", id: "a" }],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { type: "request" }],
    ['{"jsonrpc":"2.0","method":"x"}', { type: "notification", method: "x" }],
  ])("reads %s", (text, message) => expect(checkMessage(text)).toEqual(message));

  it.each([
    ["[]", "not a JSON-RPC message"],
    ["null", "not a JSON-RPC message"],
    ['{"method":"x"}', "not a JSON-RPC message"],
    ['{"jsonrpc":"2.0","id":{},"result":{}}', "not a JSON-RPC message"],
    ["{", "not JSON"],
    ["[".repeat(1_000_000), "deeper than 64"],
    [`[${"0,".repeat(100_000)}0]`, "100000 values"],
  ])("refuses %.40s", (text, fault) => expect(() => checkMessage(text)).toThrow(fault));

  it("counts levels, and no brackets of strings", () => {
    expect(isDeeperThan("[[]]", 2)).toBe(false);
    expect(isDeeperThan("[[[]]]", 2)).toBe(true);
    expect(isDeeperThan('[{"a":"[[[\\"[[["},{"\\\\":[]}]', 3)).toBe(false);
  });
});
