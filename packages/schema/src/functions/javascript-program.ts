import * as z from "zod";
import { fitsBytes, text } from "../parsing/text.ts";
import { codeLimits } from "./code-limits.ts";

/** Bytes of all files of a program together. */
export const MAX_SOURCE_BYTES = 1_048_576;
/** Files of a program. */
export const MAX_SOURCE_FILES = 200;

/** Where a program with several files begins: the first of these that it has. */
export const ENTRY_FILES = ["index.ts", "index.js", "index.mts", "index.mjs"] as const;

/**
 * A relative path in the folder of a program: no file begins with a dot, and none is outside. Those of packages, in
 * node_modules, may have @, $, + and ~ too.
 */
const FilePath = text(255, 1).regex(
  /^(?:(?:[A-Za-z0-9_-][\w.-]*\/)*[A-Za-z0-9_-][\w.-]*|node_modules(?:\/[\w@$+~-][\w.@$+~-]*)+)$/,
  { error: "must be a relative path of letters, digits, dots, hyphens and underscores" },
);

const Source = z.union([
  text(MAX_SOURCE_BYTES, 1),
  z
    .record(FilePath, text(MAX_SOURCE_BYTES))
    .refine((files) => Object.keys(files).length <= MAX_SOURCE_FILES, {
      error: `must have at most ${MAX_SOURCE_FILES} files`,
    })
    .refine((files) => ENTRY_FILES.some((name) => Object.hasOwn(files, name)), {
      error: `must have one of ${ENTRY_FILES.join(", ")}`,
    }),
]);

/** A host that a program may call, with its port if it has one of its own. */
const AllowedHost = text(255, 1).regex(
  /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::[1-9]\d{0,4})?$/,
  { error: "must be a host in lowercase, such as api.example.com or api.example.com:8443" },
);

/** Name of a secret of a workspace, in programs that use it. */
export const SecretName = text(64, 1).regex(/^[A-Za-z][A-Za-z0-9_]*$/, {
  error: "must be letters, digits and underscores, and begin with a letter",
});

/** Limits of programs with code, beside those of every invocation. */
export const CodeLimits = z.object({
  cpuMs: z
    .int()
    .min(10)
    .max(600_000)
    .default(codeLimits.cpuMs.byDefault)
    .describe("Maximum processor time of an invocation, in milliseconds"),
  memoryBytes: z
    .int()
    .min(4_194_304)
    .max(1_073_741_824)
    .default(codeLimits.memoryBytes.byDefault)
    .describe("Maximum memory of an invocation, in bytes"),
  logBytes: z
    .int()
    .min(0)
    .max(67_108_864)
    .default(codeLimits.logBytes.byDefault)
    .describe("Maximum output that an invocation may print, in bytes"),
  fetches: z
    .int()
    .min(0)
    .max(1000)
    .default(codeLimits.fetches.byDefault)
    .describe("Maximum requests that an invocation may send"),
  fetchBytes: z
    .int()
    .min(0)
    .max(268_435_456)
    .default(codeLimits.fetchBytes.byDefault)
    .describe("Maximum size of all bodies that an invocation sends and receives, in bytes"),
});
export type CodeLimits = z.output<typeof CodeLimits>;

/** Code that an invocation runs inside the sandbox. */
export const JavaScriptProgram = z.object({
  type: z.literal("javascript").describe("JavaScript or TypeScript, in a sandbox"),
  source: Source.refine(
    (given) => fitsBytes(Object.values(filesOf(given)).join(""), MAX_SOURCE_BYTES),
    {
      error: `must be at most ${MAX_SOURCE_BYTES} bytes`,
    },
  )
    .describe(
      "An ES module with a default export that is a function; or several files by path, starting at index.ts, with those of npm packages in node_modules",
    )
    .meta({
      example: "export default async function (input) {\n  return { sum: input.a + input.b };\n}\n",
    }),
  allowedHosts: z
    .array(AllowedHost)
    .max(100)
    .default([])
    .describe("Hosts that context.fetch may call; none by default")
    .meta({ example: ["api.example.com"] }),
  secrets: z
    .array(
      z.object({
        name: SecretName.describe("Name of a secret of the workspace").meta({
          example: "API_TOKEN",
        }),
        readable: z
          .boolean()
          .default(false)
          .describe("Whether context.secrets.get gives it to the code; otherwise headers only"),
      }),
    )
    .max(50)
    .default([])
    .refine((secrets) => new Set(secrets.map(({ name }) => name)).size === secrets.length, {
      error: "must name each secret once",
    })
    .describe("Secrets that the program may use; none by default"),
  ...CodeLimits.shape,
});
export type JavaScriptProgram = z.infer<typeof JavaScriptProgram>;

/** The files of a program's source by their paths: a single module is `index.ts`. */
export function filesOf(source: string | Record<string, string>): Record<string, string> {
  return typeof source === "string" ? { "index.ts": source } : source;
}
