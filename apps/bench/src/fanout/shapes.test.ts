import { expect, test } from "vitest";
import { planCase, shapes } from "./shapes.ts";

const ofCases = shapes.flatMap((shape) => shape.cases.map((ofCase) => ({ shape, ofCase })));

test.each(ofCases)("$shape.name, $ofCase.name fills the seconds of a sample", ({ ofCase }) => {
  const { rounds, gapMs } = planCase(["a"], ofCase, 4);
  expect(rounds * gapMs).toBeGreaterThan(3900);
  expect(rounds * gapMs).toBeLessThan(4100);
});

test("a short sample has some rounds all the same", () => {
  for (const { ofCase } of ofCases) expect(planCase(["a"], ofCase, 0.1).rounds).toBeGreaterThan(3);
});
