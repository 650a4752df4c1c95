import { describe, expect, it } from "vitest";
import { endpoints } from "../endpoints.ts";
import { findUnknownMembers, warnsOfUnknown } from "./unknown-members.ts";

const create = endpoints["conversations.create"];
const message = { content: "Hi", mentions: [] };
const pathsIn = (body: unknown) => findUnknownMembers(create, body).map(({ path }) => path);

describe("findUnknownMembers", () => {
  it.each([
    { body: { message }, paths: [] },
    { body: { message, title: null, contentFragments: null, spaceId: null }, paths: [] },
    { body: { message, colour: 1, Title: 2 }, paths: ["colour", "Title"] },
    {
      body: {
        message: {
          ...message,
          mentions: [{ configurationId: "a" }, { configurationId: "b", x: 1 }],
          context: { username: "a", timezone: "UTC", origin: "web", agenticMessageData: { y: 1 } },
        },
        contentFragment: { title: "t", file: "f" },
        contentFragments: [{ title: "t" }, { title: "t", context: { z: 1 } }],
      },
      paths: [
        "message.mentions[1].x",
        "message.context.agenticMessageData.y",
        "contentFragment.file",
        "contentFragments[1].context.z",
      ],
    },
  ])("names $paths", ({ body, paths }) => {
    expect(pathsIn(body)).toEqual(paths);
  });

  it.each([
    ["contentfragments", "contentFragments"],
    ["content_fragment", "contentFragment"],
    ["titel", "title"],
    ["blockin", "blocking"],
    ["colour", undefined],
    ["id", undefined],
    [`title${"x".repeat(100)}`, undefined],
  ])("takes %s for %s", (name, near) => {
    const [warning] = findUnknownMembers(create, { message, [name]: 1 });
    const hint = near === undefined ? "" : `: did you mean ${near}?`;
    expect(warning?.message).toBe(`Unknown field, ignored${hint}`);
    expect(warning?.path).toBe(name.slice(0, 64));
  });

  it("looks into members that have a default", () => {
    const mapping = { type: "jsonata", fliter: "true" };
    const [warning] = findUnknownMembers(endpoints["triggers.create"], { mapping });
    expect(warning).toEqual({
      path: "mapping.fliter",
      message: "Unknown field, ignored: did you mean filter?",
    });
  });

  it("names twenty of them at most, and says how many more there are", () => {
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1]),
    );
    expect(pathsIn({ message, ...many })).toHaveLength(21);
    expect(findUnknownMembers(create, { message, ...many }).at(-1)).toEqual({
      path: "",
      message: "Unknown fields, ignored: 980 or more besides those named above",
    });
    const few = Object.fromEntries(Object.entries(many).slice(0, 25));
    expect(findUnknownMembers(create, { message, ...few }).at(-1)?.message).toContain(
      ": 5 besides",
    );
    const fragments = Array.from({ length: 100 }, () => ({ title: "t", x: 1, y: 2 }));
    expect(pathsIn({ message, contentFragments: fragments })).toHaveLength(21);
  });
});

describe("warnsOfUnknown", () => {
  it("is true of what makes messages, fragments and agents, and of tools in clients", () => {
    const posts = Object.entries(endpoints).filter(
      ([, endpoint]) => endpoint.kind === "json" && warnsOfUnknown(endpoint),
    );
    expect(posts.map(([name]) => name).toSorted()).toEqual([
      "agents.createGeneric",
      "agents.import",
      "agents.patch",
      "clientServers.answer",
      "contentFragments.create",
      "conversations.create",
      "messages.create",
      "messages.edit",
    ]);
  });
});
