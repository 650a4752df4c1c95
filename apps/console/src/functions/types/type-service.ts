import ts from "typescript-5";
import type { Problem, Suggestion } from "../../editor/problem.ts";
import { CONTEXT_TYPES } from "./context-types.ts";
import { GLOBAL_TYPES } from "./global-types.ts";
import { libraries } from "./libraries.ts";

/** The files of a function by their paths. */
export type Files = Readonly<Record<string, string>>;

/** TypeScript's view of a function's code. */
export interface TypeService {
  /** Problems of a file: syntax errors and type warnings. */
  readonly findProblems: (files: Files, path: string) => Problem[];
  /** Completions at an offset of a file. */
  readonly suggest: (files: Files, path: string, offset: number) => Suggestion[];
}

const MAX_PROBLEMS = 100;
const MAX_SUGGESTIONS = 500;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  // Small functions need not annotate their parameters.
  noImplicitAny: false,
  allowJs: true,
  checkJs: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

// File names of a program never start with a dot.
const LIBRARY = "/.language/";
const GLOBALS = "/globals.d.ts";
const TEXTS = "/texts.d.ts";
const CODE = /\.[mc]?[jt]s$/;

/** Declarations for files that are imported as texts. */
function textTypes(files: Files): string {
  const endings = Object.keys(files).flatMap((path) => /\.[^./]+$/.exec(path)?.[0] ?? []);
  return [...new Set(endings)]
    .filter((ending) => !CODE.test(ending) && ending !== ".json")
    .map((ending) => `declare module "*${ending}" { const text: string; export default text; }\n`)
    .join("");
}

/** Starts TypeScript with the globals of function code and `context.d.ts`. */
export function createTypeService(): TypeService {
  const versions = new Map<string, { text: string; version: number }>();
  let files = new Map<string, string>();

  const read = (path: string): string | undefined =>
    path.startsWith(LIBRARY) ? libraries.get(path.slice(LIBRARY.length)) : files.get(path);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: (path) => {
      const text = read(path) ?? "";
      const known = versions.get(path);
      if (known?.text === text) return String(known.version);
      const version = (known?.version ?? 0) + 1;
      versions.set(path, { text, version });
      return String(version);
    },
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => "/",
    getDefaultLibFileName: () => `${LIBRARY}lib.es2023.d.ts`,
    fileExists: (path) => read(path) !== undefined,
    readFile: read,
    directoryExists: () => true,
    useCaseSensitiveFileNames: () => true,
  };
  const service = ts.createLanguageService(host);

  const open = (given: Files) => {
    files = new Map([
      [GLOBALS, GLOBAL_TYPES],
      [TEXTS, textTypes(given)],
      // Pushed folders omit this file but import its types.
      ["/context.d.ts", CONTEXT_TYPES],
      ...Object.entries(given).map(([path, text]) => [`/${path}`, text] as const),
    ]);
  };
  return {
    findProblems: (given, path) => {
      open(given);
      const name = `/${path}`;
      const ofGrammar = service.getSyntacticDiagnostics(name);
      const ofTypes = ofGrammar.length > 0 ? [] : service.getSemanticDiagnostics(name);
      return [...ofGrammar.map(asError), ...ofTypes.map(asWarning)].slice(0, MAX_PROBLEMS);
    },
    suggest: (given, path, offset) => {
      open(given);
      const found = service.getCompletionsAtPosition(`/${path}`, offset, {});
      return (found?.entries ?? [])
        .filter(({ kind }) => kind !== ts.ScriptElementKind.warning)
        .slice(0, MAX_SUGGESTIONS)
        .map(({ name, kind }) => ({ label: name, type: typeOf(kind), detail: kind }));
    },
  };
}

const asError = (diagnostic: ts.Diagnostic) => problemOf(diagnostic, "error");
// The server runs code regardless of its types.
const asWarning = (diagnostic: ts.Diagnostic) => problemOf(diagnostic, "warning");

function problemOf(
  { file, start = 0, messageText }: ts.Diagnostic,
  severity: Problem["severity"],
): Problem {
  const place = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  return {
    line: place.line + 1,
    column: place.character + 1,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
    severity,
  };
}

/** The CodeMirror completion type of a kind. */
function typeOf(kind: ts.ScriptElementKind): string {
  if (/method|function|constructor/.test(kind)) return "function";
  if (/property|getter|setter/.test(kind)) return "property";
  if (kind === ts.ScriptElementKind.keyword) return "keyword";
  if (/class/.test(kind)) return "class";
  if (/interface|type|alias/.test(kind)) return "type";
  return kind === ts.ScriptElementKind.constElement ? "constant" : "variable";
}
