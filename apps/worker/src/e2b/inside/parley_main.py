# The same as parley-main.mjs, of a function in Python.
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
