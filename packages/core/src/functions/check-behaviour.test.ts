import type { SimulatedBehaviour } from "@parley/schema";
import { afterAll, describe, expect, it } from "vitest";
import { createThreads } from "../untrusted/threads.ts";
import { checkBehaviour } from "./check-behaviour.ts";

const threads = createThreads();
afterAll(() => threads.close());
const check = (behaviour: SimulatedBehaviour) =>
  checkBehaviour(threads, behaviour, { workspaceId: 1, origin: "request" });

const base = { durationMs: 0, steps: [] };
const log = (text: string) => ({ log: { stream: "stdout" as const, text } });

describe("the check of a behaviour", () => {
  it.each(['{"sum": a + b}', "$", "$split(text, /\\s+/)", "(($x := 1; $x))"])(
    "takes %s",
    async (result) => {
      expect(await check({ ...base, result })).toEqual([]);
    },
  );

  it.each(["((", '"open', "[1..", "/(/", "(".repeat(9000)])("refuses %s", async (result) => {
    const [issue, ...others] = await check({ ...base, result });
    expect(issue).toMatchObject({ path: "result" });
    expect(issue?.message).toMatch(/^must be a JSONata expression: ./);
    expect(others).toEqual([]);
  });

  it("names the template that is wrong", async () => {
    const progress = { done: 1, total: 1, label: "{{ ) }}" };
    const error = { code: "threw" as const, message: "no {{ name" };
    const errors = [{ code: "threw" as const, message: "{{[}}", rate: 1 }];
    const steps = [log("fine {{name}}"), { ...log("bad {{a +}}"), progress }];
    const issues = await check({ ...base, steps, error, errors });
    expect(issues.map(({ path }) => path)).toEqual([
      "steps[1].log.text",
      "steps[1].progress.label",
      "errors[0].message",
    ]);
  });

  it.each([
    ["32 million templates", [{ ...log("{{x}}".repeat(3276)), repeat: 1000 }]],
    ["11,000 repetitions of nothing", Array.from({ length: 11 }, () => ({ repeat: 1000 }))],
  ])("refuses %s", async (_name, steps) => {
    expect(await check({ ...base, steps })).toMatchObject([
      { path: "steps", message: expect.stringContaining("more than 10000") },
    ]);
  });

  it("takes as many templates as a run may evaluate", async () => {
    const steps = [{ ...log("{{x}}"), repeat: 1000 }];
    expect(await check({ ...base, steps: Array(10).fill(steps[0]) })).toEqual([]);
  });
});
