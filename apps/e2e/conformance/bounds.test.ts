import { readFileSync } from "node:fs";
import path from "node:path";
import { CreatedConversation } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, jsonOf, minimal, pathsOf, send } from "../request.ts";
import { root, shareServer } from "../server.ts";

// The interface: each bound is kept to the character, and names its field.

const server = shareServer();
const create = (body: unknown) =>
  send(server(), { path: pathsOf(server()).conversations, json: body });

const withMessage = (members: object) => ({ message: { ...minimal.message, ...members } });
const withContext = (members: object) =>
  withMessage({ context: { username: "u", timezone: "UTC", ...members } });
const withFragment = (members: object) => ({
  ...minimal,
  contentFragments: [{ title: "t", content: "x", contentType: "text/plain", ...members }],
});
const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

interface Bound {
  readonly field: string;
  readonly most: number;
  /** The body with a field of this size. */
  readonly body: (size: number) => unknown;
}

const bounds: Bound[] = [
  {
    field: "message.content",
    most: 1024 * 1024,
    body: (size) => withMessage({ content: "x".repeat(size) }),
  },
  {
    field: "message.mentions",
    most: 50,
    body: (size) => withMessage({ mentions: many(size, { configurationId: "nobody" }) }),
  },
  {
    field: "message.mentions[0].configurationId",
    most: 255,
    body: (size) => withMessage({ mentions: [{ configurationId: "x".repeat(size) }] }),
  },
  {
    field: "contentFragments",
    most: 100,
    body: (size) => ({
      ...minimal,
      contentFragments: many(size, { title: "t", content: "x", contentType: "text/plain" }),
    }),
  },
  { field: "title", most: 512, body: (size) => ({ ...minimal, title: "x".repeat(size) }) },
  ...["username", "fullName", "email"].map((name) => ({
    field: `message.context.${name}`,
    most: 255,
    body: (size: number) => withContext({ [name]: "é".repeat(size) }),
  })),
  {
    field: "message.context.profilePictureUrl",
    most: 2048,
    body: (size) =>
      withContext({ profilePictureUrl: `https://x.example/${"a".repeat(size - 18)}` }),
  },
  {
    field: "contentFragments[0].content",
    most: 512 * 1024,
    body: (size) => withFragment({ content: "é".repeat(size) }),
  },
  {
    field: "contentFragments[0].title",
    most: 255,
    body: (size) => withFragment({ title: "x".repeat(size) }),
  },
];

test.for(bounds)("$field may have $most, and not one more", async ({ field, most, body }) => {
  jsonOf(await create(body(most)), CreatedConversation);
  const answer = await create(body(most + 1));
  expectError(answer, "invalid_request_error", { message: "Invalid request body: ", field });
});

test("characters are UTF-16 code units: an emoji is two", async () => {
  expect((await create({ ...minimal, title: "😀".repeat(256) })).status).toBe(200);
  expectError(
    await create({ ...minimal, title: `${"😀".repeat(256)}x` }),
    "invalid_request_error",
    {
      field: "title",
    },
  );
});

const malformed = [
  {
    field: "message.mentions[0].configurationId",
    body: withMessage({ mentions: [{ configurationId: "" }] }),
  },
  {
    field: "message.context.profilePictureUrl",
    body: withContext({ profilePictureUrl: "ada.png" }),
  },
  {
    field: "message.context.agenticMessageData.type",
    body: withContext({ agenticMessageData: { type: "agent", originMessageId: "x" } }),
  },
  { field: "contentFragments[0].contentType", body: withFragment({ contentType: "text" }) },
  { field: "contentFragments[0]", body: withFragment({ contentType: null }) },
  { field: "contentFragments[0].title", body: withFragment({ title: null }) },
];

test.for(malformed)("$field has a form", async ({ field, body }) => {
  const answer = await create(body);
  expectError(answer, "invalid_request_error", { message: "Invalid request body: ", field });
});

test("each of the 592 time zones is known", async () => {
  const file = path.join(root, "packages/schema/src/parsing/timezones.json");
  const zones = JSON.parse(readFileSync(file, "utf8")) as string[];
  expect(zones).toHaveLength(592);
  for (let start = 0; start < zones.length; start += 100) {
    const contentFragments = zones.slice(start, start + 100).map((timezone) => ({
      title: "t",
      content: timezone,
      contentType: "text/plain",
      context: { timezone },
    }));
    const { parsed } = jsonOf(await create({ ...minimal, contentFragments }), CreatedConversation);
    const back = parsed.conversation.content.slice(0, -1).map(([only]) => only);
    expect(back.map((one) => one?.type === "content_fragment" && one.context.timezone)).toEqual(
      contentFragments.map(({ content }) => content),
    );
  }
});

test.for(["+02:00", "europe/paris", "UTC+1", "", "Europe/Paris ", "Mars/Base", "__proto__"])(
  "`%s` is not a time zone",
  async (timezone) => {
    expectError(await create(withContext({ timezone })), "invalid_request_error", {
      message: "Invalid request body: ",
      field: "message.context.timezone",
    });
    const request = { path: pathsOf(server()).invocations("add"), json: { context: { timezone } } };
    const answer = await send(server(), request);
    expectError(answer, "invalid_request_error", { field: "context.timezone" });
  },
);
