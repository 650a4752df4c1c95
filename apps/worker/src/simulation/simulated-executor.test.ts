import { createThreads } from "@parley/core";
import type { SimulatedProgram, ScriptedBehaviour } from "@parley/schema";
import { afterAll } from "vitest";
import { describeSandboxExecutor } from "../executor/executor.conformance.ts";
import { createSimulatedExecutor } from "./simulated-executor.ts";

const script = (behaviour: Partial<ScriptedBehaviour>): SimulatedProgram => ({
  type: "simulated",
  behaviour: { durationMs: 0, steps: [], ...behaviour },
});
const print = (text: string) => ({ log: { stream: "stdout" as const, text } });

const threads = createThreads();
afterAll(() => threads.close());

describeSandboxExecutor("the simulated one", () => createSimulatedExecutor(threads, 1), {
  echo: script({ result: "$" }),
  illFormed: script({ result: '{"text": "a\\u0000\\ud800"}' }),
  count: (count) =>
    script({
      steps: [
        {
          takesMs: 1,
          repeat: count,
          log: { stream: "stdout", text: "{{$index}}" },
          progress: { done: 1, total: count, label: "{{$index}}" },
        },
      ],
    }),
  print: (characters) => script({ steps: [print("x".repeat(characters))] }),
  fail: (error) => script({ error }),
  throwing: script({ result: '$error("no")' }),
  waiting: script({ durationMs: 60_000, steps: [print("begun")] }),
  spinning: script({ result: '$contains($pad("", 40, "a") & "!", /^(a+)+$/)' }),
  allocating: script({ result: "($f := function($x) { $f([$x, $x]) }; $f([1]))" }),
  output: (characters) => script({ result: `$pad("", ${characters}, "x")` }),
  nested: (depth) => script({ result: `${"[".repeat(depth)}${"]".repeat(depth)}` }),
  random: script({
    durationMs: { distribution: "uniform", minMs: 0, maxMs: 3 },
    result: "[$random(), $shuffle([1..20]), $now(), $millis()]",
  }),
});
