import { describe, expect, it } from "vitest";
import { type Named, replaceNames } from "./replace-names.ts";

const known: Named[] = [
  { kind: "agent", sid: "a1", name: "Ann" },
  { kind: "agent", sid: "a2", name: "Ann Lee" },
  { kind: "agent", sid: "a3", name: "Ann" },
  { kind: "agent", sid: "a4", name: "x[1]" },
  { kind: "user", sid: "u1", name: "Örs Vég" },
];

describe("replaceNames", () => {
  it.each([
    ["@Ann, hi", ":mention[Ann]{sId=a1}, hi", ["a1"]],
    ["(@ANN)", "(:mention[Ann]{sId=a1})", ["a1"]],
    ["@Ann Lee and @ann", ":mention[Ann Lee]{sId=a2} and :mention[Ann]{sId=a1}", ["a2", "a1"]],
    ["@örs vég!", ":mention_user[Örs Vég]{sId=u1}!", ["u1"]],
    ["@x[1]", String.raw`:mention[x\[1\]]{sId=a4}`, ["a4"]],
    ["@Anna, ann@Ann, @, @@Ann", "@Anna, ann@Ann, @, @:mention[Ann]{sId=a1}", ["a1"]],
    ["nobody", "nobody", []],
  ])("%s becomes %s", (text, expected, sids) => {
    const replaced = replaceNames(text, known);
    expect(replaced.text).toBe(expected);
    expect(replaced.found.map(({ sid }) => sid)).toEqual(sids);
  });

  it("looks at a bounded number of places", () => {
    const text = `${"@".repeat(60_000)}Ann`;
    expect(replaceNames(text, known).text).toBe(text);
  });
});
