import { expect, it } from "vitest";
import { toCsv } from "./csv.ts";

it("writes what a spreadsheet reads back as text, and never as a formula", () => {
  const rows = [
    { name: '=HYPERLINK("http://x")', count: -1 },
    { name: 'a "b", c\nd', count: null },
    { name: "@x", count: true },
    { name: "plain", count: 0.5 },
  ];
  expect(toCsv(["name", "count"], rows)).toBe(
    [
      "name,count",
      '"\'=HYPERLINK(""http://x"")",-1',
      '"a ""b"", c\nd",',
      "'@x,true",
      "plain,0.5",
      "",
    ].join("\r\n"),
  );
});
