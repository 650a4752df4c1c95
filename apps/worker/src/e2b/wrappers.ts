import { readFileSync } from "node:fs";
import path from "node:path";
import type { E2bProgram } from "@parley/schema";

/** Files in the home of a sandbox, and what runs them. */
export interface Wrapper {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Where the wrapper leaves `{result}` or `{error}`, as JSON. */
export const RESULT_FILE = "parley-result.json";

const read = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "inside", name), "utf8");
const javascript = read("parley-main.mjs");
const python = read("parley_main.py");

/** What runs a program on an input. */
export function wrapProgram(
  { language, source }: E2bProgram,
  given: { readonly input: string; readonly invocation: object; readonly mark: string },
): Wrapper {
  const { input, invocation, mark } = given;
  const rest = JSON.stringify({ invocation, mark });
  // The input is JSON already.
  const files = { "parley-input.json": `${rest.slice(0, -1)},"input":${input}}` };
  return language === "python"
    ? {
        command: "exec python3 -u parley_main.py",
        files: { ...files, "parley_function.py": source, "parley_main.py": python },
      }
    : {
        command: "exec node parley-main.mjs",
        files: { ...files, "parley-function.mjs": source, "parley-main.mjs": javascript },
      };
}
