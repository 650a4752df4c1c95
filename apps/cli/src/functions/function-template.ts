import { CONTEXT_FILE, editorFilesOf } from "./editor-files.ts";
import { FUNCTION_FILE, FunctionFile } from "./function-file.ts";
import { SCHEMA_FILE } from "./schema-types.ts";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import { printLine } from "@parley/command/print";
import type { Context } from "../connection/context.ts";

interface Template {
  readonly slug: string;
  readonly language: "typescript" | "javascript";
}

const typescript = `import type { Context } from "./${CONTEXT_FILE}";
import type { Input, Result } from "./${SCHEMA_FILE}";

/** Greets somebody. What it returns is the result of the invocation. */
export default async function greet({ name }: Input, context: Context): Promise<Result> {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
}
`;

const javascript = `/**
 * Greets somebody. What it returns is the result of the invocation.
 *
 * @param {import("./${SCHEMA_FILE}").Input} input
 * @param {import("./${CONTEXT_FILE}").Context} context
 */
export default async function greet({ name }, context) {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
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
  const files = language === "typescript" ? { "index.ts": typescript } : { "index.js": javascript };
  return {
    [FUNCTION_FILE]: `${JSON.stringify(file, null, 2)}\n`,
    ...files,
    ...editorFilesOf(files, file),
  };
}

/** Writes the folder of a small function that works. Throws `CommandError` if the folder has files. */
export async function initFunction(
  context: Context,
  folder: string,
  options: { readonly javascript?: true },
): Promise<void> {
  const { io } = context;
  await mkdir(folder, { recursive: true });
  const [first] = await readdir(folder);
  if (first !== undefined) {
    throw new CommandError(`${folder}: already has ${first}; choose a new or empty folder`);
  }
  const language = options.javascript === true ? "javascript" : "typescript";
  const files = renderTemplate({ slug: slugOf(path.resolve(folder)), language });
  for (const [name, text] of Object.entries(files)) {
    const place = path.join(folder, name);
    await writeFile(place, text, { flag: "wx" });
    printLine(io, `created: ${place}`);
  }
}

/** The name of a folder, in words as slugs have them. */
function slugOf(folder: string): string {
  const words = path
    .basename(folder)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["function"];
  return words.join("-").slice(0, 255).replace(/-$/, "");
}
