import { ownFilesOf } from "@parley/schema";
import { renderSchemaTypes, SCHEMA_FILE } from "./schema-types.ts";

/** What code imports as the types of a function's second argument. */
export const CONTEXT_FILE = "context.d.ts";

/** What editors know of a function's second argument. */
const context = `/** What a function is given beside its input. */
export interface Context {
  /** Prints a line, as console.log does; warnings and errors go to stderr. */
  log(level: "debug" | "info" | "warn" | "error", message: string, data?: unknown): void;
  /** Reports how much is done, from 0 to 1. */
  progress(fraction: number, label?: string): void;
  /**
   * Sends a request to a host of allowedHosts. A header may name a secret of the function, which the code never
   * sees: { authorization: "Bearer {{secrets.API_TOKEN}}" }.
   */
  fetch(url: string | URL, init?: FetchOptions): Promise<FetchResponse>;
  readonly secrets: {
    /** Gives a secret that function.json marks as readable. */
    get(name: string): string;
  };
  /** Aborted when the invocation is cancelled or has reached its time limit. */
  readonly signal: AbortSignal;
  readonly invocation: {
    readonly id: string;
    readonly functionId: string;
    readonly version: number;
    /** From 1; more only where the function is retryable. */
    readonly attempt: number;
    /** IANA time zone of the caller. */
    readonly timezone: string;
  };
}

export interface FetchOptions {
  method?: string;
  headers?: Record<string, string> | Iterable<readonly [string, string]>;
  body?: string | ArrayBuffer | ArrayBufferView;
  redirect?: "follow" | "manual";
}

export interface FetchResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Iterable<[string, string]> & {
    get(name: string): string | null;
    has(name: string): boolean;
  };
  text(): Promise<string>;
  json(): Promise<any>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
`;

/** As the bundler reads imports: files by their whole names, and packages. */
const compiler = {
  compilerOptions: {
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
  },
};

/** Files for editors and compilers, by name. They are not part of a function: nothing pushes or applies them. */
export const editorFiles = {
  [CONTEXT_FILE]: context,
  "tsconfig.json": `${JSON.stringify(compiler, null, 2)}\n`,
} as const;

/** Whether one of the files of a function imports a file beside them. */
const isImported = (name: string, files: Readonly<Record<string, string>>): boolean => {
  const importing = new RegExp(String.raw`["'](?:\.\.?/)+${RegExp.escape(name)}["']`);
  return Object.values(ownFilesOf(files)).some((text) => importing.test(text));
};

/** Whether the files of a function import the types of its schemas. */
export const importsSchemaTypes = (files: Readonly<Record<string, string>>): boolean =>
  isImported(SCHEMA_FILE, files);

/** Those with which an editor finds what the files of a function import, whose schemas are given. */
export function editorFilesOf(
  files: Readonly<Record<string, string>>,
  schemas: { readonly inputSchema?: unknown; readonly outputSchema?: unknown },
): Record<string, string> {
  const isTyped = Object.keys(ownFilesOf(files)).some((name) => /\.m?ts$/.test(name));
  const { [CONTEXT_FILE]: types, ...others } = editorFiles;
  return {
    ...(isImported(CONTEXT_FILE, files) && { [CONTEXT_FILE]: types }),
    ...(importsSchemaTypes(files) && { [SCHEMA_FILE]: renderSchemaTypes(schemas) }),
    ...(isTyped && others),
  };
}
