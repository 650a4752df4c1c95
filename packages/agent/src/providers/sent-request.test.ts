import { expect, it } from "vitest";
import type { PromptFile } from "../prompt-parts.ts";
import { findSentFiles } from "./sent-request.ts";

const toFile = (fileId: string, sizeBytes: number): PromptFile => ({
  fileId,
  name: fileId,
  contentType: "image/png",
  sizeBytes,
  sha256: "00",
  read: async () => new Uint8Array(),
});

/** Files that begin alike, as pictures of the same size do. */
function openFiles(sizes: readonly number[]) {
  const bytes = new Map(
    sizes.map((size, index) => {
      const content = Buffer.alloc(size, 7);
      if (size > 0) content[size - 1] = index;
      return [toFile(`fil_${index}`, size), content];
    }),
  );
  return { files: [...bytes.keys()], bytes, bytesOf: (file: PromptFile) => bytes.get(file) };
}

it.each(
  [
    [[1], [2], [3], [47], [48], [49], [50], [1000], [1001], [1002]],
    [[300, 300, 300]],
    [[50, 1000, 50]],
  ].flat(),
)("finds files of %j bytes in a body", (...sizes) => {
  const opened = openFiles(sizes);
  const encoded = opened.files.map((file) => opened.bytesOf(file)!.toString("base64"));
  const body = JSON.stringify({ input: encoded.map((one) => `data:image/png;base64,${one}`) });
  const found = findSentFiles(body, opened.files, opened);
  expect(found.map(({ start, end }) => body.slice(start, end))).toEqual(encoded);
  expect(found.map(({ file }) => file)).toEqual(opened.files);
});

it("leaves out files that are not in the body, or were deleted", () => {
  const opened = openFiles([300, 300, 0]);
  const [first, second] = opened.files;
  const body = JSON.stringify({ input: opened.bytesOf(second!)!.toString("base64") });
  const found = findSentFiles(body, opened.files, opened);
  expect(found.map(({ file }) => file)).toEqual([second]);
  const deleted = { bytesOf: () => undefined };
  expect(findSentFiles(body, [first!], deleted)).toEqual([]);
});
