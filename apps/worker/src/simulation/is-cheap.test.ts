import jsonata from "jsonata";
import { describe, expect, it } from "vitest";
import { countCheapNodes, isCheap } from "./is-cheap.ts";

const count = (expression: string) => countCheapNodes(jsonata(expression));

describe("the cost of an expression", () => {
  it.each([
    "$",
    '{"sum": a + b}',
    "items[x > 1].x",
    'items.{"a": x, "b": $sum(y)}',
    '"hi " & $uppercase(name) & $index',
    "a ? b : -c",
    "[a, b.c, 1, null, true]",
    "a[]",
  ])("is counted for %s", (expression) => {
    expect(count(expression)).toBeLessThan(20);
  });

  it.each([
    "$map(a, function($x) { $x })",
    "($x := a; $x & $x)",
    "[1..1000000]",
    "/(a+)+/",
    "$contains(a, /(a+)+/)",
    '$pad("", 1000000000)',
    "$random()",
    "$now()",
    "$eval(a)",
    "a.(b; c)",
    "a.$$.a",
    "[$, $].[$, $].x",
    "items.($$.items)",
    "a^(b)",
    "a{b: c}",
    "a#$i.$i",
    "a@$x.$x",
    "**.a",
    "*",
    "a ~> $sum",
    "| a | {} |",
    "a[$$.b = 1]",
    "a[/x/]",
    '{"a": [1..10]}',
    "$unknown(a)",
    "a.b.%",
  ])("is not known for %s", (expression) => {
    expect(count(expression)).toBe(Infinity);
  });

  it("depends on the input too", () => {
    expect(isCheap(count("a + b"), '{"a":1,"b":2}')).toBe(true);
    expect(isCheap(count("a + b"), "x".repeat(100_000))).toBe(false);
    expect(isCheap(Infinity, "")).toBe(false);
  });
});
