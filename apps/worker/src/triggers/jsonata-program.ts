import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { ProgramBundle } from "@parley/schema";

const jsonataFile = createRequire(import.meta.url).resolve("jsonata/jsonata.min.js");

// The first is the library, a module in the form of CommonJS.
const around = (library: string): string => `
const library = { exports: {} };
(function (module, exports) {
${library}
})(library, library.exports);
const evaluate = (expression, event) => library.exports(expression).evaluate(event);
const truthOf = (value) => library.exports("$boolean($)").evaluate(value);
export default async ({ filter, message, event }) => {
  if (filter !== undefined && !(await truthOf(await evaluate(filter, event)))) return { isIgnored: true };
  if (message === undefined) return { value: event.body };
  const value = await evaluate(message, event);
  return value === undefined ? { isIgnored: true } : { value };
};
`;

let loading: Promise<ProgramBundle> | undefined;

/** A program that evaluates JSONata: its input has the expressions and the event. */
export function jsonataProgram(): Promise<ProgramBundle> {
  loading ??= (async () => ({
    code: around(await readFile(jsonataFile, "utf8")),
    map: JSON.stringify({ version: 3, sources: [], names: [], mappings: "" }),
  }))();
  return loading;
}
