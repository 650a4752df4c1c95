import { describe, expect, it } from "vitest";
import { Context } from "./message-contexts.ts";

describe("Context", () => {
  const context = { username: "ada", timezone: "Europe/Paris" };

  it.each([
    { profilePictureUrl: "https://example.com/a.png" },
    { selectedSpaceIds: ["vlt_a"], email: "", fullName: "" },
    { agenticMessageData: { type: "agent_handover", originMessageId: "abc" } },
  ])("takes %j", (more) => {
    expect(Context.parse({ ...context, ...more })).toEqual({ ...context, ...more });
  });

  it.each([
    { username: undefined },
    { username: "x".repeat(256) },
    { timezone: null },
    { profilePictureUrl: "picture.png" },
    { profilePictureUrl: `https://example.com/${"x".repeat(2048)}` },
    { selectedSpaceIds: [""] },
    { agenticMessageData: { type: "other", originMessageId: "abc" } },
  ])("refuses %j", (more) => {
    expect(Context.safeParse({ ...context, ...more }).success).toBe(false);
  });
});
