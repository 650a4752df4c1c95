import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../server.ts";

/** Code of a document or a comment. */
export interface Example {
  /** Where it stands. */
  readonly place: string;
  readonly code: string;
}

/** The blocks of TypeScript of a document, or those with JSX. */
export async function readBlocks(
  document: string,
  language: "ts" | "tsx" = "ts",
): Promise<Example[]> {
  const text = await readFile(path.join(root, document), "utf8");
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  return blocks.map(([, code = ""], index) => ({ place: `${document} ${index + 1}`, code }));
}

/** The examples in the comments of a file, by the name of the export that they stand above. */
export async function readComments(file: string): Promise<Example[]> {
  const text = await readFile(path.join(root, file), "utf8");
  const pattern =
    / \* @example\n((?: \*.*\n)*?) \*\/\nexport (?:(?:async )?function|class|const) (\w+)/g;
  return [...text.matchAll(pattern)].map(([, lines = "", place = ""]) => ({
    place,
    code: lines.replaceAll(/^ \* ?/gm, ""),
  }));
}

/** One module of examples, behind the names that all of them use. */
export function joinExamples(
  examples: readonly Example[],
  { names, scope }: { names: Readonly<Record<string, unknown>>; scope: "own" | "shared" },
): string {
  const imported = new Set<string>();
  const bodies = examples.map(({ place, code }) => {
    const lines = code.split("\n").filter((line) => {
      const found = /^import \{ (.*) \} from "@parley\/client";$/.exec(line)?.[1];
      for (const name of found?.split(", ") ?? []) imported.add(name);
      return found === undefined;
    });
    const body = [`console.log("\\n== ${place}");`, ...lines].join("\n");
    return scope === "own" ? `{\n${body}}` : body;
  });
  return [
    "declare const process: { stdout: { write(text: string): void } };",
    ...[...imported].map((name) => `import { ${name} } from "parley-client";`),
    ...Object.entries(names).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`),
    ...bodies,
  ].join("\n");
}

/** What each example has printed. */
export function splitOutput(output: string): Map<string, string> {
  const parts = output.split(/^== (.*)\n/m);
  return new Map(
    parts.flatMap((part, index) => (index % 2 === 1 ? [[part, parts[index + 1] ?? ""]] : [])),
  );
}

/** What an example says that it prints: the comments behind its `console.log`. */
export function expectedOutput({ code }: Example): string[] {
  return [...code.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text = ""]) =>
    text.replace(/ …$/, ""),
  );
}
