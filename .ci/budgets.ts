import { say } from "./steps.ts";

/** How long each may take on two quiet cores with an empty cache, in seconds. */
const budgets = {
  test: 180,
  full: 800,
  check: 15,
  "check:full": 960,
} as const;

/** Says when something took half as long again as it may: machines differ, so it does not fail. */
export function sayOverrun(name: string, seconds: number): void {
  if (!(name in budgets)) return;
  const budget = budgets[name as keyof typeof budgets];
  if (seconds > budget * 1.5) {
    say(`! ${name} took ${Math.round(seconds)} s, and its budget is ${budget} s: .ci/budgets.ts`);
  }
}
