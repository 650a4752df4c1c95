import { expect, it } from "vitest";
import { parseRange } from "./downloads.ts";

it.each([
  { header: undefined, size: 10, range: undefined },
  { header: "bytes=0-0", size: 10, range: { start: 0, end: 1 } },
  { header: "bytes=2-5", size: 10, range: { start: 2, end: 6 } },
  { header: "Bytes= 2-5 ", size: 10, range: { start: 2, end: 6 } },
  { header: "bytes=2-", size: 10, range: { start: 2, end: 10 } },
  { header: "bytes=2-99", size: 10, range: { start: 2, end: 10 } },
  { header: "bytes=-3", size: 10, range: { start: 7, end: 10 } },
  { header: "bytes=-99", size: 10, range: { start: 0, end: 10 } },
  { header: "bytes=10-", size: 10, range: "unsatisfiable" },
  { header: "bytes=99-100", size: 10, range: "unsatisfiable" },
  { header: "bytes=-0", size: 10, range: "unsatisfiable" },
  { header: "bytes=0-", size: 0, range: "unsatisfiable" },
  { header: "bytes=-1", size: 0, range: "unsatisfiable" },
  { header: "bytes=5-2", size: 10, range: undefined },
  { header: "bytes=-", size: 10, range: undefined },
  { header: "bytes=1-2,4-5", size: 10, range: undefined },
  { header: "bytes=a-b", size: 10, range: undefined },
  { header: "lines=1-2", size: 10, range: undefined },
  { header: "bytes=1e1-", size: 10, range: undefined },
  { header: `bytes=${"9".repeat(400)}-`, size: 10, range: undefined },
])("reads $header of $size bytes", ({ header, size, range }) => {
  expect(parseRange(header, size)).toEqual(range);
});
