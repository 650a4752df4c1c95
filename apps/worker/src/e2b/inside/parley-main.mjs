// Runs a function in a sandbox of E2B, in whose home it is, and leaves its result there. A mark that nobody knows before
// tells a report of progress from a line that looks like one.
import { readFileSync, writeFileSync } from "node:fs";
const at = (name) => new URL(name, import.meta.url);
const { input, invocation, mark } = JSON.parse(readFileSync(at("parley-input.json"), "utf8"));
const write = process.stdout.write.bind(process.stdout);
/** @type {(fraction: unknown, label?: unknown) => void} */
const progress = (fraction, label = "") =>
  void write(
    mark +
      JSON.stringify({ fraction: Number(fraction), label: String(label).slice(0, 1024) }) +
      "\n",
  );
const end = (answer) => {
  writeFileSync(at("parley-result.json"), answer);
  process.exit(0);
};
const fail = (code, error) => {
  const message = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  end(JSON.stringify({ error: { code, message: message.slice(0, 4096) } }));
};
process.on("uncaughtException", (error) => fail("threw", error));
process.on("exit", (code) => {
  if (waiting && code === 13)
    fail("bad_return", "The function waits for a promise that nothing settles");
});
let waiting = true;
let work;
try {
  work = (await import(at("parley-function.mjs").href)).default;
  if (typeof work !== "function")
    throw new TypeError("The module must export a function by default");
} catch (error) {
  fail("import_failed", error);
}
let result;
try {
  result = await work(input, { progress, invocation });
} catch (error) {
  fail("threw", error);
}
waiting = false;
try {
  const text = result === undefined ? "null" : JSON.stringify(result);
  if (typeof text !== "string")
    throw new TypeError("The result must be JSON, not " + typeof result);
  end('{"result":' + text + "}");
} catch (error) {
  fail("bad_return", error);
}
