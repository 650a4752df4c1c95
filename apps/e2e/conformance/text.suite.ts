import {
  CreatedConversation,
  InvokedSandboxFunction,
  type SpecifiedConversation,
} from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, jsonOf, minimal, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

// The interface: what text, numbers, names and depth a request may have.

const json = { "content-type": "application/json" };
const message = "Invalid request body: ";

/** The tests of what a request may hold. */
export function textSuite(server: () => Server): void {
  const create = (body: unknown) =>
    send(server(), { path: pathsOf(server()).conversations, json: body });
  const createRaw = (body: string | Uint8Array) =>
    send(server(), { path: pathsOf(server()).conversations, headers: json, body });

  const withText = (text: string) => [
    { field: "message.content", body: { message: { content: text, mentions: [] } } },
    { field: "title", body: { ...minimal, title: text } },
    {
      field: "message.mentions[0].configurationId",
      body: { message: { content: "x", mentions: [{ configurationId: text }] } },
    },
    {
      field: "message.context.fullName",
      body: {
        message: {
          ...minimal.message,
          context: { username: "u", timezone: "UTC", fullName: text },
        },
      },
    },
    {
      field: "contentFragments[0].content",
      body: {
        ...minimal,
        contentFragments: [{ title: "t", content: text, contentType: "text/plain" }],
      },
    },
    { field: "spaceId", body: { ...minimal, spaceId: text } },
    { field: "unknown.deep[1]", body: { ...minimal, unknown: { deep: ["fine", text] } } },
  ];
  const unstorable = [
    { name: "NUL", text: "a\u0000b" },
    { name: "a lone high surrogate", text: "a\uD83D" },
    { name: "a lone low surrogate", text: "\uDE00b" },
    { name: "swapped surrogates", text: "\uDE00\uD83D" },
  ];

  test.for(unstorable)("$name is refused in every field, which is named", async ({ text }) => {
    for (const { field, body } of withText(text)) {
      expectError(await create(body), "invalid_request_error", { message, field });
    }
    const input = { path: pathsOf(server()).invocations("add"), json: { input: { a: text } } };
    const answer = await send(server(), input);
    expectError(answer, "invalid_request_error", { message, field: "input.a" });
  });

  test("NUL is refused in the name of a member too", async () => {
    const answer = await create({ ...minimal, "a\u0000b": 1 });
    expectError(answer, "invalid_request_error", { message });
  });

  test("any other text comes back as it was sent", async () => {
    const content = 'é 😀 \u0001\u001f\u007f\u2028\ufeff\ufffd\\u0000 \\ " <b>&amp;\r\n\t';
    const answer = await create({
      title: content,
      message: {
        content,
        mentions: [],
        context: { username: content, timezone: "Europe/Paris", fullName: content },
      },
      contentFragments: [{ title: content, content, contentType: "text/plain" }],
    });
    const { parsed } = jsonOf(answer, CreatedConversation);
    expect(parsed.conversation.title).toBe(content);
    expect(parsed.message.content).toBe(content);
    expect(parsed.message.context).toMatchObject({ username: content, fullName: content });
    expect(parsed.conversation.content[0]?.[0]).toMatchObject({ title: content });
  });

  test("an agent answers such text too", async () => {
    const content = 'é 😀 $& $1 \u0001\ufeff \\u0000 " {{message}}';
    const answer = await create({
      message: { content, mentions: [{ configurationId: "helper" }] },
      blocking: true,
    });
    const { conversation } = jsonOf(answer, CreatedConversation).parsed;
    expect(answerOf(conversation)).toContain(`You said: ${content}\n`);
  });

  test("members that could reach a prototype are ignored wherever they are", async () => {
    const names = ["__proto__", "constructor", "prototype"];
    for (const name of names) {
      const evil = `"${name}":{"blocking":"yes","title":7,"polluted":true}`;
      const answer = await createRaw(
        `{${evil},"message":{${evil},"content":"x","mentions":[],` +
          `"context":{${evil},"username":"u","timezone":"UTC"}}}`,
      );
      const { parsed } = jsonOf(answer, CreatedConversation);
      expect(parsed.conversation.title).toBe("x");
      expect(answer.text).not.toContain("polluted");
    }
    const invoked = await send(server(), {
      path: pathsOf(server()).invocations("add"),
      headers: json,
      body: '{"input":{"a":1,"b":2,"__proto__":{"a":5}}}',
    });
    const { outcome } = jsonOf(invoked, InvokedSandboxFunction, 201).parsed;
    expect(outcome).toEqual({ status: "succeeded", result: { sum: 3 } });
  });

  test("a member that is only named __proto__ does not stand for one that is missing", async () => {
    const answer = await createRaw('{"__proto__":{"message":{"content":"x","mentions":[]}}}');
    expectError(answer, "invalid_request_error", { message, field: "message" });
  });

  test("a body may be nested 64 levels deep, and not 65", async () => {
    // The body itself is the first level.
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const body = (levels: number) =>
      `{"deep":${nested(levels - 1)},"message":{"content":"x","mentions":[]}}`;
    expect((await createRaw(body(64))).status).toBe(200);
    const answer = await createRaw(body(65));
    expectError(answer, "invalid_request_error", { message: `${message}deep[0]` });
    const endless = await createRaw(body(1_000_000));
    expectError(endless, "invalid_request_error", { message });
    const objects = `{"a":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
    expectError(await createRaw(objects), "invalid_request_error", { message });
    const numbers = `{"n":12345678901234567890,"deep":${nested(500_000)}}`;
    expectError(await createRaw(numbers), "invalid_request_error", { message });
  });

  test.for(["9007199254740993", "-9007199254740993", "12345678901234567890", "1e400", "-1e400"])(
    "the number %s would lose digits and is refused",
    async (number) => {
      const created = await createRaw(`{"a":{"b":[${number}]},${JSON.stringify(minimal).slice(1)}`);
      expectError(created, "invalid_request_error", { message, field: "a.b[0]" });
      const path = pathsOf(server()).invocations("add");
      const body = `{"input":{"a":${number},"b":0}}`;
      const invoked = await send(server(), { path, headers: json, body });
      expectError(invoked, "invalid_request_error", { message, field: "input.a" });
    },
  );

  test.for(["9007199254740991", "-9007199254740991", "1.5", "0.1", "1e20"])(
    "the number %s is kept",
    async (number) => {
      const path = pathsOf(server()).invocations("add");
      const body = `{"input":{"a":${number},"b":0}}`;
      const answer = await send(server(), { path, headers: json, body });
      const { outcome } = jsonOf(answer, InvokedSandboxFunction, 201).parsed;
      expect(outcome).toEqual({ status: "succeeded", result: { sum: Number(number) } });
    },
  );

  const invalid = [
    { name: "a byte that starts nothing", bytes: [0xff] },
    { name: "a cut character", bytes: [0xc3] },
    { name: "an overlong slash", bytes: [0xc0, 0xaf] },
    { name: "a surrogate", bytes: [0xed, 0xa0, 0xbd] },
  ];

  test.for(invalid)("$name is not UTF-8", async ({ bytes }) => {
    const [before = "", after = ""] = JSON.stringify(minimal).split("Hello");
    const parts = [Buffer.from(before), Buffer.from(bytes), Buffer.from(after)];
    const answer = await createRaw(Buffer.concat(parts));
    expectError(answer, "invalid_request_error", { message });
  });

  test("NUL and broken encodings in a query are refused or ignored, never a crash", async () => {
    const { skills } = pathsOf(server());
    for (const value of ["%00", "%FF", "%ED%A0%80", "%zz"]) {
      const refused = await send(server(), { path: `${skills}?status=${value}` });
      expectError(refused, "invalid_request_error", {
        message: "Invalid query parameters: ",
        field: "status",
      });
      const ignored = await send(server(), { path: `${skills}?nobody=${value}&${value}=1` });
      expect(ignored.status).toBe(200);
      const cursor = { path: `${pathsOf(server()).events("add", "x")}?lastEventId=${value}` };
      expectError(await send(server(), cursor), "invalid_request_error", {
        message: "Invalid query parameters: ",
        field: "lastEventId",
      });
    }
    const names = "__proto__=1&constructor=2&prototype[a]=3&__proto__[status]=archived";
    expect((await send(server(), { path: `${skills}?${names}` })).status).toBe(200);
  });
}

function answerOf(conversation: SpecifiedConversation): string {
  const last = conversation.content.at(-1)?.[0];
  return last?.type === "agent_message" ? last.content : "";
}
