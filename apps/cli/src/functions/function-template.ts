import { FUNCTION_FILE, FunctionFile } from "./function-file.ts";

interface Template {
  readonly slug: string;
  readonly language: "typescript" | "javascript";
}

const CONTEXT_FILE = "context.d.ts";

const typescript = `import type { Context } from "./${CONTEXT_FILE}";

interface Input {
  name: string;
}

/** Greets somebody. What it returns is the result of the invocation. */
export default async function greet({ name }: Input, context: Context) {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
}
`;

const javascript = `/**
 * Greets somebody. What it returns is the result of the invocation.
 *
 * @param {{ name: string }} input
 * @param {import("./${CONTEXT_FILE}").Context} context
 */
export default async function greet({ name }, context) {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
}
`;

/** What editors know of a function's second argument; it is not pushed. */
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

/** The files of a small function that runs as it is, by path. */
export function renderTemplate({ slug, language }: Template): Record<string, string> {
  const file = FunctionFile.parse({
    slug,
    description: "Greets somebody",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", maxLength: 100 } },
      required: ["name"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { greeting: { type: "string" } },
      required: ["greeting"],
    },
    timeoutMs: 10_000,
    cpuMs: 1000,
  } satisfies Partial<FunctionFile>);
  return {
    [FUNCTION_FILE]: `${JSON.stringify(file, null, 2)}\n`,
    ...(language === "typescript" ? { "index.ts": typescript } : { "index.js": javascript }),
    [CONTEXT_FILE]: context,
  };
}
