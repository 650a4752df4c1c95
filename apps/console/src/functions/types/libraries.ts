/// <reference types="vite/client" />

const texts = import.meta.glob<string>(
  [
    "../../../node_modules/typescript-5/lib/lib.{es5,es20{15,16,17,18,19,20,21,22,23}*,decorators*}.d.ts",
    "!**/*.full.d.ts",
  ],
  { query: "?raw", import: "default", eager: true },
);

/** The values of Intl, which are the only variables inside a namespace, and Atomics. */
const MISSING = /^(?: {4}(?:var|const)|declare var(?= Atomics)) (\w+): /gm;

/**
 * The type libraries of the JavaScript that functions are written in, by file name. A global that the sandbox
 * lacks has a type but no value.
 */
export const libraries: ReadonlyMap<string, string> = new Map(
  Object.entries(texts).map(([path, text]) => [
    path.slice(path.lastIndexOf("/") + 1),
    text.replaceAll(MISSING, "type Missing$1 = "),
  ]),
);
