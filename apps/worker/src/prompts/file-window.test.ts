import fc from "fast-check";
import { expect, it } from "vitest";
import { newestFiles } from "./file-window.ts";

const image = (sizeBytes: number, id = 0) => ({
  kind: "image",
  maxCount: 20,
  sizeBytes,
  pages: 0,
  maxPages: null,
  id,
});

it("begins at the same file for many turns, with the newest files, within its limits", () => {
  const file = fc.record({
    kind: fc.constantFrom("image", "pdf"),
    sizeBytes: fc.integer({ min: 1, max: 13 }),
    pages: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 120 }), (kinds) => {
      const files = kinds.map((one, id) =>
        one.kind === "pdf"
          ? { ...one, id, maxCount: 5, maxPages: 200 }
          : { ...one, id, pages: 0, maxCount: 20, maxPages: null },
      );
      let first = 0;
      let changes = 0;
      for (let count = 1; count <= files.length; count++) {
        const shown = files.slice(0, count);
        const window = newestFiles(shown, 100);
        expect(window.at(-1)).toBe(shown.at(-1));
        expect(shown.slice(-window.length)).toEqual(window);
        expect(window.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(100);
        const pages = window.reduce((sum, one) => sum + one.pages, 0);
        expect(pages).toBeLessThanOrEqual(200);
        for (const { kind, maxCount } of window) {
          expect(window.filter((one) => one.kind === kind).length).toBeLessThanOrEqual(maxCount);
        }
        if (window[0]!.id !== first) changes++;
        first = window[0]!.id;
      }
      // Three files at least come between two cuts: PDFs, of which five are sent.
      expect(changes).toBeLessThanOrEqual(files.length / 3);
    }),
  );
});

it("sends twenty images, and the newest ten of one more", () => {
  const files = Array.from({ length: 31 }, (_, id) => image(1, id));
  const idsOf = (count: number) => newestFiles(files.slice(0, count), 100).map(({ id }) => id);
  expect(idsOf(20)).toHaveLength(20);
  expect(idsOf(21)[0]).toBe(11);
  expect(idsOf(31)[0]).toBe(11);
  const pdf = (pages: number) => ({ ...image(1), kind: "pdf", maxCount: 5, pages, maxPages: 100 });
  const pagesOf = (...counts: number[]) =>
    newestFiles(counts.map(pdf), 100).map((one) => one.pages);
  expect([pagesOf(60, 40), pagesOf(60, 41), pagesOf(30, 20, 51)]).toEqual([[60, 40], [41], [51]]);
  expect(newestFiles([image(90), image(60, 1)], 100).map(({ id }) => id)).toEqual([1]);
});
