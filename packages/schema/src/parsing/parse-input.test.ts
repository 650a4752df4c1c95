import { describe, expect, it } from "vitest";
import { endpoints } from "../endpoints.ts";
import type { ParleyError } from "../errors/errors.ts";
import { HttpInput, parseInput } from "./parse-input.ts";

const create = endpoints["conversations.create"];
const list = endpoints["skills.list"];
const revoke = endpoints["apiKeys.revoke"];
const createKey = endpoints["apiKeys.create"];
const listKeys = endpoints["apiKeys.list"];
const createSpace = endpoints["spaces.create"];
const tellAudit = endpoints["audit.list"];
const message = { content: "Hello", mentions: [] };
const http = (body: unknown, params: unknown = { wId: "w" }, query: unknown = {}) =>
  new HttpInput({ params, query, body });
const many = (count: number, item: object) => Array.from({ length: count }, () => item);
const refusal = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    const { type, message: text, issues } = error as ParleyError;
    expect(type).toBe("invalid_request_error");
    return { message: text, paths: issues?.map((issue) => issue.path) };
  }
};

describe("parseInput", () => {
  it("gives one flat input from the parts of an HTTP request, in which the path wins", () => {
    const parsed = parseInput(create, http({ message, title: "T", wId: "forged" }));
    expect(parsed).toMatchObject({ wId: "w", message, title: "T" });
  });

  it("parses the same from one flat object", () => {
    const flat = parseInput(create, { wId: "w", message, title: "T" });
    expect(flat).toEqual(parseInput(create, http({ message, title: "T" })));
    expect(parseInput(list, { wId: "w", availability: ["editors"] })).toEqual(
      parseInput(list, http(undefined, { wId: "w" }, { availability: "editors" })),
    );
  });

  it.each([
    ["body", create, http({}), "Invalid request body: ", "message"],
    ["body", create, http(undefined), "Invalid request body: ", ""],
    ["body", create, http([message]), "Invalid request body: ", ""],
    [
      "query",
      list,
      http(null, { wId: "w" }, { status: "x" }),
      "Invalid query parameters: ",
      "status",
    ],
    ["path", list, http(null, { wId: "w\u0000" }), "Invalid path parameters: ", "wId"],
    ["path", create, http({}, { wId: "x".repeat(256) }), "Invalid path parameters: ", "wId"],
    ["path", revoke, { wId: "w" }, "Invalid path parameters: ", "keyId"],
    ["path", revoke, undefined, "Invalid path parameters: ", ""],
  ])("says which part is wrong: %s", (_part, endpoint, raw, prefix, path) => {
    const refused = refusal(() => parseInput(endpoint, raw));
    expect(refused).toMatchObject({ message: expect.stringMatching(`^${prefix}${path}`) });
    expect(refused).toMatchObject({ paths: [path] });
  });

  it.each([
    [
      "RPC",
      createSpace,
      { wId: "w", name: "n", kind: "restricted" },
      "body",
      "kind",
      "; there are wId, name, isRestricted, keyIds",
    ],
    [
      "RPC",
      createKey,
      { wId: "w", name: "n", role: "user", expires_at: 1 },
      "body",
      "expires_at",
      ": did you mean expiresAt?",
    ],
    [
      "RPC",
      create,
      { wId: "w", message: { ...message, context: { usrname: "x" } } },
      "body",
      "message.context.usrname",
      ": did you mean username?",
    ],
    ["RPC", listKeys, { wId: "w", workspaceId: "w" }, "body", "workspaceId", "; there are wId"],
    [
      "REST",
      createKey,
      http({ name: "n", role: "user", expires_at: 1 }),
      "body",
      "expires_at",
      ": did you mean expiresAt?",
    ],
    [
      "REST",
      tellAudit,
      http(undefined, {}, { limits: "1" }),
      "query",
      "limits",
      ": did you mean limit?",
    ],
  ])("refuses over %s what it does not know", (_transport, endpoint, raw, part, path, hint) => {
    const where = part === "query" ? "query parameters" : "request body";
    expect(refusal(() => parseInput(endpoint, raw))).toEqual({
      message: `Invalid ${where}: ${path}: unknown field${hint}`,
      paths: [path],
    });
  });

  it("lets subscribers say where they are", () => {
    const follow = { wId: "w", cId: "c", lastEventId: "3" };
    const parsed = { wId: "w", cId: "c", include: [] };
    expect(parseInput(endpoints["conversations.events"], follow)).toEqual(parsed);
  });

  it.each([
    { include: "notes", parsed: ["notes"] },
    { include: "notes,other", parsed: ["notes", "other"] },
    { include: ["notes", "a,b"], parsed: ["notes", "a", "b"] },
    { include: "", parsed: [""] },
  ])("lets subscribers name further events: $include", ({ include, parsed }) => {
    const follow = { wId: "w", cId: "c", include };
    expect(parseInput(endpoints["conversations.events"], follow)).toMatchObject({
      include: parsed,
    });
  });

  it.each([
    [{ message: { content: "x" } }, ["message.mentions"]],
    [
      { message: { content: "", mentions: [{}] } },
      ["message.content", "message.mentions[0].configurationId"],
    ],
    [{ message: { content: "a\u0000", mentions: [] } }, ["message.content"]],
    [
      { message: { ...message, mentions: [{ configurationId: "\ud800" }] } },
      ["message.mentions[0].configurationId"],
    ],
    [
      { message: { ...message, context: { username: "u", timezone: "+02:00" } } },
      ["message.context.timezone"],
    ],
    [{ message: { ...message, context: { username: "u" } } }, ["message.context.timezone"]],
    [
      {
        message: {
          ...message,
          modelSelection: { providerId: "p", modelId: "m", reasoningEffort: "max" },
        },
      },
      ["message.modelSelection.reasoningEffort"],
    ],
    [{ message, contentFragments: [{ title: "t", content: "c" }] }, ["contentFragments[0]"]],
    [
      { message, contentFragments: [{ title: "t", content: "c", contentType: "text" }] },
      ["contentFragments[0].contentType"],
    ],
    [{ message, blocking: "true" }, ["blocking"]],
    [{ message, title: "x".repeat(513) }, ["title"]],
    [
      {
        message: {
          ...message,
          context: { username: "u", timezone: "UTC", profilePictureUrl: "nowhere" },
        },
      },
      ["message.context.profilePictureUrl"],
    ],
  ])("names the fields that are wrong in %j", (body, paths) => {
    expect(refusal(() => parseInput(create, http(body)))).toMatchObject({ paths });
  });

  it("lists no more than twenty faults", () => {
    const mentions = Array.from({ length: 50 }, () => ({}));
    const refused = refusal(() => parseInput(create, http({ message: { ...message, mentions } })));
    expect((refused as { paths: string[] }).paths).toHaveLength(20);
  });

  it.each([
    ["mentions", { message: { ...message, mentions: many(51, { configurationId: "a" }) } }],
    ["contentFragments", { message, contentFragments: many(101, { title: "t", fileId: "f" }) }],
  ])("refuses too many %s", (field, body) => {
    expect(refusal(() => parseInput(create, http(body)))).toMatchObject({
      message: expect.stringContaining(field),
    });
  });

  it("takes null for an absent member, and an unknown one for none", () => {
    const nulls = {
      contentFragments: null,
      title: null,
      skipToolsValidation: null,
      blocking: null,
      spaceId: null,
      unknown: { "a b": 1 },
      message: { ...message, context: null, modelSelection: null, unknown: 1 },
    };
    const parsed = parseInput(create, http(nulls, { wId: "w", more: 1 }, { unknown: "x" }));
    expect(parsed).toEqual({ ...parseInput(create, http({ message })), wId: "w" });
    expect(JSON.stringify(parsed)).toBe(JSON.stringify({ message, wId: "w" }));
  });

  it("takes no member from a prototype, and changes none", () => {
    const body = JSON.parse(
      '{"__proto__":{"title":"forged"},"constructor":{"prototype":{"title":"forged"}},' +
        '"prototype":1,"message":{"__proto__":{"context":{}},"content":"Hello","mentions":[]}}',
    ) as unknown;
    for (const raw of [http(body), Object.assign(structuredClone(body) as object, { wId: "w" })]) {
      const parsed = parseInput(create, raw);
      expect(parsed).toEqual(parseInput(create, http({ message })));
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    }
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it.each([
    [{}, { status: "active", bypassEditorVisibility: false }],
    [
      { availability: "editors", status: "archived" },
      { availability: ["editors"], status: "archived" },
    ],
    [
      { availability: ["editors", "workspace_users"] },
      { availability: ["editors", "workspace_users"] },
    ],
    [{ bypassEditorVisibility: "true" }, { bypassEditorVisibility: true }],
    [{ bypassEditorVisibility: "TRUE" }, { bypassEditorVisibility: false }],
    [{ bypassEditorVisibility: "1" }, { bypassEditorVisibility: false }],
    [{ bypassEditorVisibility: ["true", "true"] }, { bypassEditorVisibility: false }],
  ])("reads the query %j of a listing", (query, expected) => {
    expect(parseInput(list, http(undefined, { wId: "w" }, query))).toMatchObject(expected);
  });

  it.each([undefined, null, 0, false, "", [], { input: 1 }])(
    "takes any JSON for the input: %j",
    (input) => {
      const params = { wId: "w", functionId: "f" };
      const parsed = parseInput(endpoints["sandboxFunctions.invoke"], http({ input }, params));
      expect(parsed).toEqual({ ...params, input: input ?? null, context: undefined });
    },
  );

  const invoke = endpoints["sandboxFunctions.invoke"];
  const at = new Date(0);

  it.each<[string, unknown, unknown]>([
    ["a time", at, "1970-01-01T00:00:00.000Z"],
    ["a bigint", [12n, -(2n ** 53n) + 1n], [12, -Number.MAX_SAFE_INTEGER]],
    ["a Map", new Map<string, unknown>([["a", new Map([["b", at]])]]), { a: { b: at.toJSON() } }],
    ["a Set", { set: new Set([1n, new Set(["x"])]) }, { set: [1, ["x"]] }],
    ["an undefined member", { a: undefined, b: { c: undefined } }, { b: {} }],
    ["undefined in a list", [1, undefined], [1, null]],
  ])("makes JSON of what JavaScript has beside it: %s", (_name, input, expected) => {
    const parsed = parseInput(invoke, { wId: "w", functionId: "f", input });
    expect(parsed).toStrictEqual({ wId: "w", functionId: "f", input: expected });
  });

  it("takes an input that is a Map itself", () => {
    expect(parseInput(createSpace, new Map([["wId", "w"]]).set("name", "n"))).toMatchObject({
      wId: "w",
      name: "n",
    });
  });

  it.each<[string, unknown, string, string]>([
    ["a large bigint", [2n ** 53n], "input[0]", "must be an integer within 2^53"],
    ["a symbol", Symbol("s"), "input", "must be JSON"],
    ["a function", { a: () => 1 }, "input.a", "must be JSON"],
    ["an invalid time", new Date(Number.NaN), "input", "must be JSON"],
    ["an expression", { a: [/x/] }, "input.a[0]", "must be JSON"],
    [
      "a Map of numbers",
      { a: new Map([[1, 1]]) },
      "input.a",
      "must be a Map with texts as keys, and without __proto__",
    ],
    [
      "a Map that names a prototype",
      { a: new Map([["__proto__", { admin: true }]]) },
      "input.a",
      "must be a Map with texts as keys, and without __proto__",
    ],
    [
      "a text in a Set",
      new Set(["\u0000"]),
      "input[0]",
      "must not contain NUL or a lone surrogate",
    ],
  ])("refuses an input that JSON cannot hold: %s", (_name, input, path, fault) => {
    expect(refusal(() => parseInput(invoke, { wId: "w", functionId: "f", input }))).toEqual({
      message: `Invalid request body: ${path}: ${fault}`,
      paths: [path],
    });
  });
});
