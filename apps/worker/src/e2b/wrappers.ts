import type { E2bProgram } from "@parley/schema";

/** Files in the home of a sandbox, and what runs them. */
export interface Wrapper {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Where the wrapper leaves `{result}` or `{error}`, as JSON. */
export const RESULT_FILE = "parley-result.json";

// A mark that nobody knows before tells a report of progress from a line that looks like one.
const JAVASCRIPT = String.raw`
import { readFileSync, writeFileSync } from "node:fs";
const at = (name) => new URL(name, import.meta.url);
const { input, invocation, mark } = JSON.parse(readFileSync(at("parley-input.json"), "utf8"));
const write = process.stdout.write.bind(process.stdout);
const progress = (fraction, label = "") =>
  void write(mark + JSON.stringify({ fraction: Number(fraction), label: String(label).slice(0, 1024) }) + "\n");
const end = (answer) => {
  writeFileSync(at("parley-result.json"), answer);
  process.exit(0);
};
const fail = (code, error) => {
  const message = error instanceof Error ? error.stack ?? String(error) : String(error);
  end(JSON.stringify({ error: { code, message: message.slice(0, 4096) } }));
};
process.on("uncaughtException", (error) => fail("threw", error));
process.on("exit", (code) => {
  if (waiting && code === 13) fail("bad_return", "The function waits for a promise that nothing settles");
});
let waiting = true;
let work;
try {
  work = (await import("./parley-function.mjs")).default;
  if (typeof work !== "function") throw new TypeError("The module must export a function by default");
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
  if (typeof text !== "string") throw new TypeError("The result must be JSON, not " + typeof result);
  end('{"result":' + text + "}");
} catch (error) {
  fail("bad_return", error);
}
`;

const PYTHON = String.raw`
import asyncio, importlib.util, inspect, json, os, sys, traceback
home = os.path.dirname(os.path.abspath(__file__))
given = json.load(open(os.path.join(home, "parley-input.json"), encoding="utf-8"))
sys.stdout.reconfigure(line_buffering=True)
output = sys.stdout

class Context:
    invocation = given["invocation"]
    def progress(self, fraction, label=""):
        report = {"fraction": float(fraction), "label": str(label)[:1024]}
        output.write(given["mark"] + json.dumps(report) + "\n")

def end(text):
    with open(os.path.join(home, "parley-result.json"), "w", encoding="utf-8") as file:
        file.write(text)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)

def fail(code):
    end(json.dumps({"error": {"code": code, "message": traceback.format_exc()[-4096:]}}))

try:
    path = os.path.join(home, "parley_function.py")
    spec = importlib.util.spec_from_file_location("parley_function", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["parley_function"] = module
    spec.loader.exec_module(module)
    main = module.main
except MemoryError:
    fail("out_of_memory")
except BaseException:
    fail("import_failed")
try:
    takes = len(inspect.signature(main).parameters)
    result = main(given["input"]) if takes == 1 else main(given["input"], Context())
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
except MemoryError:
    fail("out_of_memory")
except BaseException:
    fail("threw")
try:
    end(json.dumps({"result": result}, allow_nan=False))
except BaseException:
    fail("bad_return")
`;

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
        files: { ...files, "parley_function.py": source, "parley_main.py": PYTHON },
      }
    : {
        command: "exec node parley-main.mjs",
        files: { ...files, "parley-function.mjs": source, "parley-main.mjs": JAVASCRIPT },
      };
}
