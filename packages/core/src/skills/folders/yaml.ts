import { isDeepStrictEqual } from "node:util";
import {
  Composer,
  CST,
  Document,
  isMap,
  isScalar,
  Lexer,
  parseDocument,
  Parser,
  Scalar,
  visit,
} from "yaml";

/** Front matter has a mapping with a mapping of metadata; the rest is margin. */
const MAX_DEPTH = 12;
/** The parser takes a second for 32 KiB of brackets and commas; real front matter has 300 lexemes. */
const MAX_LEXEMES = 2000;

/** The value of a YAML text, or its fault. */
export type ReadYaml = { readonly value: unknown } | { readonly fault: string };

const refusedTokens: Readonly<Record<string, string>> = {
  alias: "aliases are not allowed",
  anchor: "anchors are not allowed",
  tag: "tags are not allowed",
  "directive-line": "directives are not allowed",
};

/**
 * Parses a mapping in YAML's core schema. Aliases, anchors, tags and deep nesting are refused before the
 * tokens are composed, because the composer is recursive.
 */
export function readYaml(source: string): ReadYaml {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (++lexemes > MAX_LEXEMES) return { fault: "has too many parts" };
    const type = CST.tokenType(lexeme);
    const refused = refusedTokens[type ?? ""];
    if (refused !== undefined) return { fault: refused };
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) return { fault: "is nested too deep" };
  }
  tokens.push(...parser.end());
  const options = { schema: "core", uniqueKeys: true, stringKeys: true } as const;
  const documents = [...new Composer(options).compose(tokens)];
  const [document] = documents;
  if (document === undefined) return { fault: "is empty" };
  if (documents.length > 1) return { fault: "must be one document" };
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return { fault: firstLine(error.message) };
  // In a Map, as in the result of `fromEntries`, a member of any name is an own member.
  const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  if (!(value instanceof Map)) return { fault: "must be a mapping of names to values" };
  return { value: toObject(value) };
}

/** Characters that a block of text would lose or change: line ends but one, controls, and marks. */
const isQuoted =
  /[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029\ufeff]/u;

/** Writes a value of JSON as `readYaml` reads it. */
export function writeYaml(value: object): string {
  const document = new Document(value, { schema: "core", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && isQuoted.test(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** A mapping in YAML, and texts that members of it shall have. */
export interface YamlPatch {
  readonly source: string;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * The mapping with other texts for some of its members, and every other character as it was. Undefined if it
 * cannot be changed so.
 */
export function patchYaml({ source, values }: YamlPatch): string | undefined {
  const before = readYaml(source);
  if ("fault" in before) return undefined;
  const after = { ...(before.value as object), ...values };
  const { contents } = parseDocument(source, { schema: "core" });
  if (!isMap(contents)) return undefined;
  const places = Object.entries(values).map(([name, value]) => {
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === name);
    return { value, range: isScalar(pair?.value) ? pair.value.range : undefined };
  });
  const written = [writeScalar, writeQuoted].map((write) => {
    let text = source;
    // From the last to the first, so that places stay what they are.
    for (const { value, range } of places.toSorted(
      (one, other) => (other.range?.[0] ?? 0) - (one.range?.[0] ?? 0),
    )) {
      if (range === null || range === undefined) return undefined;
      const [start, end] = range;
      const [blank = ""] = /\s*$/.exec(text.slice(start, end)) ?? [];
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const scalar = write(value).replaceAll("\n", eol);
      text = text.slice(0, start) + scalar + blank + text.slice(end);
    }
    return text;
  });
  return written.find((text) => {
    const read = text === undefined ? undefined : readYaml(text);
    return read !== undefined && "value" in read && isDeepStrictEqual(read.value, after);
  });
}

/** A text as a block of the outermost mapping would have it. */
function writeScalar(value: string): string {
  return writeYaml({ value }).slice("value: ".length).trimEnd();
}

/** A text on one line, which may stand anywhere. */
function writeQuoted(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function toObject(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toObject);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [String(name), toObject(member)]));
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/:$/, "") ?? "";
}
