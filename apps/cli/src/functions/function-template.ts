import { CONTEXT_FILE, editorFilesOf } from "./editor-files.ts";
import { FUNCTION_FILE, FunctionFile } from "./function-file.ts";

interface Template {
  readonly slug: string;
  readonly language: "typescript" | "javascript";
}

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
    ...editorFilesOf(files),
  };
}
