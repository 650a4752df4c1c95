import { describe, expect, it } from "vitest";
import { checkBehaviour } from "./check-behaviour.ts";

const base = { durationMs: 0, steps: [] };
const log = (text: string) => ({ log: { stream: "stdout" as const, text } });

describe("the check of a behaviour", () => {
  it.each(['{"sum": a + b}', "$", "$split(text, /\\s+/)", "(($x := 1; $x))"])(
    "takes %s",
    (result) => {
      expect(checkBehaviour({ ...base, result })).toEqual([]);
    },
  );

  it.each(["((", '"open', "[1..", "/(/", "(".repeat(9000)])("refuses %s", (result) => {
    const [issue, ...others] = checkBehaviour({ ...base, result });
    expect(issue).toMatchObject({ path: "result" });
    expect(issue?.message).toMatch(/^must be a JSONata expression: ./);
    expect(others).toEqual([]);
  });

  it("names the template that is wrong", () => {
    const progress = { done: 1, total: 1, label: "{{ ) }}" };
    const error = { code: "threw" as const, message: "no {{ name" };
    const errors = [{ code: "threw" as const, message: "{{[}}", rate: 1 }];
    const steps = [log("fine {{name}}"), { ...log("bad {{a +}}"), progress }];
    const issues = checkBehaviour({ ...base, steps, error, errors });
    expect(issues.map(({ path }) => path)).toEqual([
      "steps[1].log.text",
      "steps[1].progress.label",
      "errors[0].message",
    ]);
  });
});
