import type { ErrorType } from "@parley/schema";
import fc from "fast-check";
import type { Json } from "./bodies.ts";

// What can be wrong with a body, and what the error table says to it.

/** A request that is wrong. */
export interface Faulty {
  readonly body: string | Buffer;
  readonly contentType?: string;
  /** The error that answers it; none if the fault may have left a right body. */
  readonly type?: ErrorType;
  /** The field that every issue is about. */
  readonly field?: string;
}

const long = (length: number) => "x".repeat(length);
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const missing = undefined;
const noText = [1, true, {}, ["x"]];
const noBoolean = ["true", 1, 0, {}, []];
const wrongContext = ["x", 1, true, ["x"], { timezone: 1 }, { timezone: "Mars/Base" }];

/** Values that a member must not have, by its path. */
const wrong: Record<string, readonly unknown[]> = {
  message: [missing, null, 1, "x", [], true],
  "message.content": [missing, null, "", ...noText, long(1024 * 1024 + 1)],
  "message.mentions": [missing, null, {}, "x", 1, many(51, { configurationId: "x" })],
  "message.mentions[0]": [null, "helper", 1, [], {}],
  "message.mentions[0].configurationId": [missing, null, "", long(256), ...noText],
  "message.context": [...noText, {}, { username: "x" }, { timezone: "UTC" }],
  "message.context.username": [missing, null, long(256), ...noText],
  "message.context.timezone": [missing, null, "", "+02:00", "europe/paris", "UTC ", ...noText],
  "message.context.fullName": [long(256), ...noText],
  "message.context.email": [long(256), ...noText],
  "message.context.profilePictureUrl": ["", "ada.png", `https://x.y/${long(2048)}`, ...noText],
  "message.context.clientSideMCPServerIds": ["x", {}, [1], [null], [""], many(17, "x")],
  "message.context.selectedSpaceIds": ["x", {}, [1], [null], [""], many(101, "x")],
  "message.context.agenticMessageData": [
    "x",
    {},
    { type: "run_agent" },
    { type: "agent", originMessageId: "x" },
    { type: "run_agent", originMessageId: "" },
  ],
  "message.modelSelection": [
    "noop",
    {},
    [],
    { providerId: "noop" },
    { modelId: "noop" },
    { providerId: "", modelId: "noop" },
    { providerId: "noop", modelId: long(256) },
    { providerId: "noop", modelId: "noop", reasoningEffort: "extreme" },
  ],
  contentFragments: ["x", {}, 1, [null], ["x"], [{}], [{ title: "t" }]],
  "contentFragments[0]": [[], 1, { title: "t", content: "x" }, { title: "t", nodeId: "n" }],
  "contentFragments[0].title": [missing, null, "", long(256), ...noText],
  "contentFragments[0].content": [...noText, long(512 * 1024 + 1)],
  "contentFragments[0].contentType": ["", "text", long(256), ...noText],
  "contentFragments[0].fileId": ["", long(256), ...noText],
  "contentFragments[0].nodeId": ["", long(256), ...noText],
  "contentFragments[0].nodeDataSourceViewId": ["", long(256), ...noText],
  "contentFragments[0].url": [long(2049), ...noText],
  "contentFragments[0].path": [long(2049), ...noText],
  "contentFragments[0].processedPath": [long(2049), ...noText],
  "contentFragments[0].skipFileProcessing": noBoolean,
  "contentFragments[0].context": wrongContext,
  title: [long(513), `${"😀".repeat(256)}x`, ...noText],
  skipToolsValidation: noBoolean,
  blocking: noBoolean,
  spaceId: ["", long(256), ...noText],
};

/** What stands where a fault's path leads through something that a body left out. */
const defaults: Record<string, unknown> = {
  context: { username: "x", timezone: "UTC" },
  modelSelection: { providerId: "noop", modelId: "noop" },
  contentFragments: [],
  mentions: [],
  0: undefined,
};
const firstOf: Record<string, unknown> = {
  contentFragments: { title: "t", content: "x", contentType: "text/plain" },
  mentions: { configurationId: "x" },
};

/** A copy of the body in which the member at the path has this value; undefined takes it out. */
function withMember(body: Json, path: string, value: unknown): Json {
  const copy = structuredClone(body);
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  let parent: Json = copy;
  for (const [index, name] of names.slice(0, -1).entries()) {
    const fallback = name === "0" ? firstOf[names[index - 1] ?? ""] : defaults[name];
    parent[name] ??= structuredClone(fallback);
    parent = parent[name] as Json;
  }
  const last = names.at(-1) ?? "";
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const invalid = { type: "invalid_request_error" } as const;

const wrongMembers = fc.constantFrom(
  ...Object.entries(wrong).flatMap(([path, values]) => values.map((value) => ({ path, value }))),
);

/** Members that name what is not there. */
const unknownThings = fc.constantFrom<{ path: string; value: unknown; type: ErrorType }>(
  { path: "spaceId", value: "vlt_AAAAAAAAAA", type: "space_not_found" },
  { path: "contentFragments[0].fileId", value: "fil_AAAAAAAAAA", type: "file_not_found" },
  {
    path: "contentFragments[0]",
    value: { title: "t", nodeId: "n", nodeDataSourceViewId: "dsv_x" },
    type: "data_source_view_not_found",
  },
  {
    path: "message.modelSelection",
    value: { providerId: "openai", modelId: "gpt-5" },
    type: "model_disabled",
  },
);

/** Puts a piece of text into one of the strings of a value, or into the name of a member. */
function withPiece(value: unknown, piece: string, pick: () => number): unknown {
  // Not in the middle, where half a pair of surrogates could become a whole one.
  if (typeof value === "string") return pick() % 2 === 0 ? piece + value : value + piece;
  if (Array.isArray(value) && value.length > 0) {
    const index = pick() % value.length;
    return value.with(index, withPiece(value[index], piece, pick));
  }
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    const entries = Object.entries(value);
    const index = pick() % entries.length;
    const [name, member] = entries[index] ?? ["", null];
    return { ...value, [name]: withPiece(member, piece, pick) };
  }
  return { [`x_${piece}`]: value };
}

const nested = (depth: number, [open, close]: readonly [string, string]) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

/** A body's JSON with one more member, written as it is. */
function withRaw(body: Json, member: string): string {
  return `{${member},${JSON.stringify(body).slice(1)}`;
}

/** Any request that a fault was put into; `body` is right. */
export function faultsOf(body: Json): fc.Arbitrary<Faulty> {
  const text = JSON.stringify(body);
  const bytes = Buffer.from(text);
  return fc.oneof(
    {
      weight: 12,
      arbitrary: wrongMembers.map(({ path, value }) => ({
        body: JSON.stringify(withMember(body, path, value)),
        field: path,
        ...invalid,
      })),
    },
    {
      weight: 2,
      arbitrary: unknownThings.map(({ path, value, type }) => ({
        body: JSON.stringify(withMember(body, path, value)),
        type,
      })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom("\u0000", "\uD83D", "\uDE00", "\uDE00\uD83D"),
          fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        )
        .map(([piece, picks]) => {
          let turn = 0;
          const changed = withPiece(body, piece, () => picks[turn++ % picks.length] ?? 0);
          return { body: JSON.stringify(changed), ...invalid };
        }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(64, 65, 1000, 20_000), fc.constantFrom(["[", "]"], ['{"a":', "}"]))
        .map(([depth, pair]) => ({
          body: withRaw(body, `"x_deep":${nested(depth, pair as [string, string])}`),
          ...invalid,
        })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("9007199254740993", "-9007199254740993", "12345678901234567890", "1e400")
        .map((number) => ({ body: withRaw(body, `"x_number":[${number}]`), ...invalid })),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom([0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0xbd]).map((piece) => ({
        body: Buffer.concat([
          Buffer.from('{"x_bytes":"'),
          Buffer.from(piece),
          Buffer.from(`",${text.slice(1)}`),
        ]),
        ...invalid,
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<BufferEncoding>("utf16le", "base64", "hex").map((encoding) => ({
        body: encoding === "utf16le" ? Buffer.from(text, encoding) : bytes.toString(encoding),
        ...invalid,
      })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("text/plain", "application/xml", "multipart/form-data; boundary=x", "json")
        .map((contentType) => ({ body: text, contentType, ...invalid })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("", "null", "[]", "1", '"x"', "true", "{", `${text}x`, `[${text}]`)
        .map((whole) => ({ body: whole, ...invalid })),
    },
    {
      // Bytes changed, taken out or repeated anywhere: whatever it is then, it is answered.
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.nat(Math.max(0, bytes.length - 1)),
          fc.integer({ min: 0, max: 8 }),
          fc.uint8Array({ maxLength: 4 }),
        )
        .map(([start, removed, inserted]) => ({
          body: Buffer.concat([
            bytes.subarray(0, start),
            inserted,
            bytes.subarray(start + removed),
          ]),
        })),
    },
  );
}
