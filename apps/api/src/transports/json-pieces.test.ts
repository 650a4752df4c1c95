import { describe, expect, it } from "vitest";
import { isLong, jsonPieces } from "./json-pieces.ts";

async function collect(value: unknown): Promise<string[]> {
  return Array.fromAsync(jsonPieces(value));
}

async function* iterate<T>(members: readonly T[]): AsyncGenerator<T> {
  yield* members;
}

const long = 'é"\n'.repeat(30_000);

describe("jsonPieces", () => {
  it.each([null, false, -1.5, "a\u2028", [], [null], {}, { a: { b: [] }, "c d": undefined }])(
    "gives what JSON.stringify gives of %j among long texts",
    async (some) => {
      const value = { some, left: undefined, texts: [long, some, undefined], deep: { some, long } };
      expect((await collect(value)).join("")).toBe(JSON.stringify(value));
      expect((await collect([some, long])).join("")).toBe(JSON.stringify([some, long]));
    },
  );

  it("gives a short value in one piece", async () => {
    for (const value of [null, "a", [], {}, { a: [1, undefined, { b: undefined }] }]) {
      expect(isLong(value)).toBe(false);
      expect(await collect(value)).toEqual([JSON.stringify(value)]);
    }
  });

  it("gives many members in pieces of a bounded size", async () => {
    const value = Array.from({ length: 200_000 }, (_, index) => ({ index }));
    const pieces = await collect(value);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(128 * 1024);
    expect(pieces.join("")).toBe(JSON.stringify(value));
  });

  it("takes async iterables for arrays, those of async iterables too", async () => {
    const positions = [[1, 2], [], [{ text: long }]];
    const value = {
      content: iterate(positions.map((versions) => iterate<unknown>(versions))),
      none: iterate([]),
    };
    expect(isLong(value)).toBe(true);
    expect((await collect(value)).join("")).toBe(JSON.stringify({ content: positions, none: [] }));
  });

  it("reads no further than was asked for", async () => {
    let read = 0;
    async function* counted() {
      for (;;) {
        read++;
        yield long;
      }
    }
    const pieces = jsonPieces({ content: counted() });
    const begun = [await pieces.next(), await pieces.next()].map(({ value }) => value);
    await pieces.return();
    expect({ begun, read }).toEqual({ begun: ['{"content":', "["], read: 1 });
  });
});
