import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { root } from "../server.ts";

// Bodies of the create operation that the interface calls right.

/** What bodies may refer to. */
export interface Known {
  readonly agents: readonly string[];
  readonly spaceId: string;
  readonly node: { readonly nodeId: string; readonly nodeDataSourceViewId: string };
  readonly models: readonly { readonly providerId: string; readonly modelId: string }[];
}

/** A JSON object. */
export type Json = Record<string, unknown>;

const timezones = JSON.parse(
  readFileSync(path.join(root, "packages/schema/src/parsing/timezones.json"), "utf8"),
) as string[];

/** Text of `min` to `max` UTF-16 code units; now and then exactly so many. */
function text(max: number, min = 0): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 1, unit: "grapheme-ascii" }) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 1, unit: "binary" }) },
  );
  const most = fc.constantFrom("x".repeat(max), "é".repeat(max), "😀".repeat(max / 2));
  return fc.oneof(
    {
      weight: 600,
      arbitrary: fc
        .string({ unit, minLength: min, maxLength: 12 })
        .map((value) => value.replaceAll("\u0000", "\u0001"))
        .filter((value) => value.length <= max),
    },
    { weight: max > 10_000 ? 2 : 10, arbitrary: most },
  );
}

/** An object with these members, of which the named ones are always there; the others may be null. */
function object(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Json> {
  const nullable = Object.entries(optional).map(([name, arbitrary]) => [
    name,
    fc.option(arbitrary, { nil: null, freq: 4 }),
  ]);
  const members = fc.record(
    { ...required, ...(Object.fromEntries(nullable) as typeof optional) },
    { requiredKeys: Object.keys(required) },
  );
  return fc
    .tuple(members, fc.option(unknownMembers, { freq: 8 }))
    .map(([known, unknown]) => ({ ...known, ...unknown }));
}

const unknownMembers = fc.dictionary(
  fc.string({ unit: "grapheme-ascii", maxLength: 5 }).map((name) => `x_${name}`),
  fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme-ascii" }).filter(isExact),
  { maxKeys: 2 },
);

/** Whether no digit of a value is lost on its way through JSON. */
function isExact(value: unknown): boolean {
  return !/\d{16}/.test(JSON.stringify(value));
}

const reference = text(255, 1);
const timezone = fc.constantFrom(...timezones);

const contextMembers = {
  fullName: text(255),
  email: fc.oneof(text(255), fc.emailAddress({ size: "small" })),
  profilePictureUrl: fc.webUrl({ size: "small" }),
  clientSideMCPServerIds: fc.array(reference, { maxLength: 3 }),
  selectedSpaceIds: fc.array(reference, { maxLength: 3 }),
  agenticMessageData: object(
    { type: fc.constantFrom("run_agent", "agent_handover"), originMessageId: reference },
    {},
  ),
};

const context = object({ username: text(255), timezone }, contextMembers);

/** Fragments from inline text, or from a node; half a node decides nothing. */
function fragment({ node }: Known): fc.Arbitrary<Json> {
  const about = {
    url: text(2048),
    path: text(2048),
    processedPath: text(2048),
    skipFileProcessing: fc.boolean(),
    context: object({}, { username: text(255), timezone, ...contextMembers }),
  };
  const title = text(255, 1);
  const contentType = fc.constantFrom("text/plain", "text/markdown; charset=utf-8", "a/b+c.d");
  const content = text(512 * 1024);
  return fc.oneof(
    { weight: 4, arbitrary: object({ title, content, contentType }, about) },
    {
      weight: 1,
      arbitrary: object({ title, content, contentType, nodeId: reference }, about),
    },
    {
      weight: 1,
      arbitrary: object(
        {
          title,
          nodeId: fc.constant(node.nodeId),
          nodeDataSourceViewId: fc.constant(node.nodeDataSourceViewId),
        },
        { content, contentType, ...about },
      ),
    },
  );
}

/** Any body that is right. */
export function validBodies(known: Known): fc.Arbitrary<Json> {
  const mention = object(
    {
      configurationId: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...known.agents) },
        { weight: 2, arbitrary: reference },
      ),
    },
    {},
  );
  const modelSelection = fc
    .tuple(
      fc.constantFrom(...known.models),
      object({}, { reasoningEffort: fc.constantFrom("none", "light", "medium", "high") }),
    )
    .map(([model, rest]) => ({ ...model, ...rest }));
  const message = object(
    {
      content: text(64 * 1024, 1),
      mentions: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: fc.array(mention, { maxLength: 4 }) },
      ),
    },
    { context, modelSelection },
  );
  return object(
    { message },
    {
      contentFragments: fc.array(fragment(known), { maxLength: 3 }),
      title: text(512),
      skipToolsValidation: fc.boolean(),
      blocking: fc.boolean(),
      spaceId: fc.constant(known.spaceId),
    },
  );
}
