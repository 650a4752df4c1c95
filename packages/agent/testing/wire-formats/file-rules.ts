import type { ReadFile } from "./wire-format.ts";

// What the services refuse of the sizes of files, in the words of each. How large a file is, is found in another way
// than the server finds it.

/** Throws as Anthropic refuses images of many pixels and PDFs of many pages. */
export function requireAnthropicSizes(files: readonly ReadFile[]): void {
  const images = files.filter(({ contentType }) => contentType.startsWith("image/"));
  const isMany = images.length > 20;
  const most = isMany ? 2000 : 8000;
  for (const { bytes } of images) {
    if (Math.max(...sidesOf(bytes)) <= most) continue;
    const kind = isMany ? " for many-image requests" : "";
    throw new Error(
      `At least one of the image dimensions exceed max allowed size${kind}: ${most} pixels`,
    );
  }
  if (images.some(({ bytes }) => bytes.length * (4 / 3) > 5 * 1024 * 1024)) {
    throw new Error("image exceeds 5 MB maximum");
  }
  const pages = files.reduce((sum, file) => sum + pagesOf(file), 0);
  if (pages > 100) throw new Error("A maximum of 100 PDF pages may be provided.");
}

/** Throws as Google refuses PDFs of many pages. */
export function requireGoogleSizes(files: readonly ReadFile[]): void {
  if (files.every((file) => pagesOf(file) <= 1000)) return;
  throw new Error("The document has too many pages: the limit is 1000");
}

/** The sides of a PNG, or of a JPEG by the first segment that looks like a frame's; of others none. */
function sidesOf(bytes: Buffer): [number, number] {
  const isPng = bytes.toString("latin1", 1, 4) === "PNG";
  if (isPng && bytes.length < 24) throw new Error("Could not process image");
  if (isPng) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const frames = ["ffc0001108", "ffc2001108", "ffc0000b08"].map((head) =>
    bytes.indexOf(Buffer.from(head, "hex")),
  );
  const frame = frames.find((at) => at !== -1);
  if (frame === undefined) return [0, 0];
  return [bytes.readUInt16BE(frame + 5), bytes.readUInt16BE(frame + 7)];
}

/** By the entries of its pages, which are not compressed in tests. */
function pagesOf({ contentType, bytes }: ReadFile): number {
  if (contentType !== "application/pdf") return 0;
  return bytes.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}
