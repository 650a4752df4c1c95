import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageSize } from "./image-size.ts";

const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(33);
  header.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
};
const gif = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.write("GIF89a", "latin1");
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
};
const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};
const frame = (width: number, height: number, marker: number): Buffer => {
  const content = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  content.writeUInt16BE(height, 1);
  content.writeUInt16BE(width, 3);
  return segment(marker, content);
};
const jpeg = (width: number, height: number, before: Buffer[] = [], marker = 0xc0): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...before, frame(width, height, marker)]);
const webp = (chunk: string, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}\0\0\0\0`, "latin1"), content]);
const lossy = (width: number, height: number): Buffer => {
  const content = Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, 0, 0, 0, 0]);
  // The two bits above a side scale it.
  content.writeUInt16LE(width | 0x40_00, 6);
  content.writeUInt16LE(height | 0x80_00, 8);
  return webp("VP8 ", content);
};
const lossless = (width: number, height: number): Buffer => {
  const content = Buffer.from([0x2f, 0, 0, 0, 0]);
  content.writeUInt32LE(((1 << 28) | ((height - 1) << 14) | (width - 1)) >>> 0, 1);
  return webp("VP8L", content);
};
const extended = (width: number, height: number): Buffer => {
  const content = Buffer.alloc(10);
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return webp("VP8X", content);
};

const small = fc.integer({ min: 1, max: 0x3f_ff });
const formats = {
  png: fc
    .tuple(fc.integer({ min: 1, max: 0x7f_ff_ff_ff }), small)
    .map(([w, h]) => [w, h, png(w, h)] as const),
  gif: fc.tuple(small, small).map(([w, h]) => [w, h, gif(w, h)] as const),
  lossy: fc.tuple(small, small).map(([w, h]) => [w, h, lossy(w, h)] as const),
  lossless: fc.tuple(small, small).map(([w, h]) => [w, h, lossless(w, h)] as const),
  extended: fc
    .tuple(fc.integer({ min: 1, max: 0x1_00_00_00 }), small)
    .map(([w, h]) => [w, h, extended(w, h)] as const),
  jpeg: fc
    .tuple(
      fc.integer({ min: 1, max: 65_535 }),
      small,
      fc.array(
        fc.oneof(
          fc
            .tuple(
              fc.constantFrom(0xe0, 0xe1, 0xe2, 0xdb, 0xc4, 0xfe),
              fc.uint8Array({ maxLength: 300 }),
            )
            .map(([marker, content]) => segment(marker, Buffer.from(content))),
          fc.constant(Buffer.from([0xff])),
        ),
        { maxLength: 12 },
      ),
      fc.constantFrom(0xc0, 0xc1, 0xc2, 0xc3, 0xc9, 0xcf),
    )
    .map(([w, h, before, marker]) => [w, h, jpeg(w, h, before, marker)] as const),
};

describe("the size of an image", () => {
  it.each(Object.entries(formats))("is that of its header: %s", (_name, images) => {
    fc.assert(
      fc.property(images, fc.uint8Array({ maxLength: 64 }), ([width, height, bytes], rest) => {
        expect(imageSize(Buffer.concat([bytes, rest]))).toEqual({ width, height });
      }),
    );
  });

  it.each(Object.entries(formats))(
    "is not guessed from a header that was cut: %s",
    (_name, images) => {
      fc.assert(
        fc.property(images, fc.nat(), ([width, height, bytes], cut) => {
          const size = imageSize(bytes.subarray(0, cut % bytes.length));
          expect([undefined, { width, height }]).toContainEqual(size);
          expect(imageSize(bytes.subarray(0, 9))).toBeUndefined();
        }),
      );
    },
  );

  it("is within what a column holds, or not there, whatever the bytes are", () => {
    const all = Object.values(formats);
    const changed = fc
      .tuple(fc.oneof(...all), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }))
      .map(([[, , bytes], changes]) => {
        const broken = Buffer.from(bytes);
        for (const [at, value] of changes) broken[at % broken.length] = value;
        return broken;
      });
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 400 })), (bytes) => {
        const { width = 1, height = 1 } = imageSize(bytes) ?? {};
        for (const side of [width, height]) {
          expect(Number.isInteger(side) && side >= 1 && side <= 0x7f_ff_ff_ff).toBe(true);
        }
      }),
    );
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a PNG without a width", png(0, 5)],
    ["a PNG larger than PNG allows", png(0x80_00_00_00, 5)],
    ["a PNG that begins with another chunk", Buffer.from(png(5, 5)).fill("IDAT", 12, 16)],
    ["a JPEG whose picture begins without a frame", jpeg(5, 5, [segment(0xda, Buffer.alloc(8))])],
    ["a JPEG with a segment of no length", jpeg(5, 5, [Buffer.from([0xff, 0xe0, 0, 0])])],
    ["a JPEG that leaves its height to a later segment", jpeg(5, 0)],
    ["a PDF", Buffer.from("%PDF-1.7\n".padEnd(40))],
  ])("is not there for %s", (_name, bytes) => {
    expect(imageSize(bytes)).toBeUndefined();
  });

  it("takes no time that a bystander would notice for the longest header", () => {
    // Bytes that are skipped one by one.
    const bytes = Buffer.alloc(1_048_576, 0xff);
    bytes[1] = 0xd8;
    const startedAt = process.cpuUsage();
    expect(imageSize(bytes)).toBeUndefined();
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1000).toBeLessThan(100);
  });
});
