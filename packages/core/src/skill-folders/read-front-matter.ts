import { formatPath, SkillFrontMatter } from "@parley/schema";
import { Composer, CST, Lexer, Parser } from "yaml";

/** Texts of one description and some metadata fit; what is longer is no front matter. */
const MAX_CHARACTERS = 32 * 1024;
/** The parser's document, mapping, metadata and its texts, with some room. */
const MAX_DEPTH = 12;
/** The parser takes a second for 32 KiB of brackets and commas: real front matter has 300 of these. */
const MAX_LEXEMES = 2000;

/** A SKILL.md in its two parts, or the reason why it is none. */
export type SkillFile =
  | { readonly frontMatter: SkillFrontMatter; readonly body: string }
  | { readonly fault: string };

/** Reads the text of a SKILL.md: YAML between two lines `---`, and the Markdown behind them. */
export function readSkillFile(text: string): SkillFile {
  const opened = /^---[ \t]*\r?\n/.exec(text);
  if (opened === null) return { fault: "must begin with front matter, after a line ---" };
  const rest = text.slice(opened[0].length);
  const closed = /^---[ \t]*(?:\r?\n|$)/m.exec(rest.slice(0, MAX_CHARACTERS + 5));
  if (closed === null) {
    const limit = `of at most ${MAX_CHARACTERS} characters`;
    return { fault: `must end its front matter, ${limit}, with a line ---` };
  }
  const yaml = readYaml(rest.slice(0, closed.index));
  if ("fault" in yaml) return { fault: `front matter: ${yaml.fault}` };
  const parsed = SkillFrontMatter.safeParse(yaml.value);
  if (parsed.success) {
    const body = rest.slice(closed.index + closed[0].length).trim();
    return { frontMatter: parsed.data, body };
  }
  const faults = parsed.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  return { fault: `front matter: ${faults.slice(0, 5).join("; ")}` };
}

const refusedTokens: Readonly<Record<string, string>> = {
  alias: "aliases are not allowed",
  anchor: "anchors are not allowed",
  tag: "tags are not allowed",
  "directive-line": "directives are not allowed",
};

/**
 * Parses a mapping in YAML's core schema. Aliases, anchors and tags are refused before anything is
 * built, and so is depth: the parser keeps its own stack, what composes its tokens is recursive.
 */
function readYaml(source: string): { value: unknown } | { fault: string } {
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
  // Members of any name are own members of a Map, and of what `fromEntries` makes.
  const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  if (!(value instanceof Map)) return { fault: "must be a mapping of names to values" };
  return { value: toObject(value) };
}

function toObject(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [String(name), toObject(member)]));
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/:$/, "") ?? "";
}
