// The sides of images, from their first bytes alone. It takes a step for each segment of a JPEG and each byte between
// two of them, and allocates nothing: what a stranger's image says is safe to read on an event loop.

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** PNG has no larger sides, and other formats have smaller ones. */
const MAX_SIDE = 0x7f_ff_ff_ff;

/** The size that a PNG, JPEG, GIF or WebP image says it has; undefined if these bytes do not say it. */
export function imageSize(beginning: Uint8Array): ImageSize | undefined {
  const bytes = new DataView(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  const found = readers.find(({ marks }) => marks.every(([at, mark]) => hasMark(bytes, at, mark)));
  const size = found && found.bytes <= bytes.byteLength ? found.read(bytes) : undefined;
  const isSide = (side: number): boolean => side > 0 && side <= MAX_SIDE;
  return size && isSide(size.width) && isSide(size.height) ? size : undefined;
}

interface Reader {
  /** Text of one byte for each character, and where it stands. */
  readonly marks: readonly (readonly [at: number, mark: string])[];
  /** Bytes that it reads without a further check. */
  readonly bytes: number;
  readonly read: (bytes: DataView) => ImageSize | undefined;
}

const png = "\x89PNG\r\n\x1a\n";
const readGif = (bytes: DataView): ImageSize => ({
  width: bytes.getUint16(6, true),
  height: bytes.getUint16(8, true),
});
const webp = (chunk: string): Reader["marks"] => [
  [0, "RIFF"],
  [8, `WEBP${chunk}`],
];
/** A side of a WebP image has at most 14 bits, its canvas 24. */
const SIDE_BITS = 14;

const readers: readonly Reader[] = [
  {
    marks: [
      [0, png],
      [12, "IHDR"],
    ],
    bytes: 24,
    read: (bytes) => ({ width: bytes.getUint32(16), height: bytes.getUint32(20) }),
  },
  { marks: [[0, "\xff\xd8\xff"]], bytes: 3, read: readJpeg },
  { marks: [[0, "GIF87a"]], bytes: 10, read: readGif },
  { marks: [[0, "GIF89a"]], bytes: 10, read: readGif },
  {
    marks: [...webp("VP8 "), [23, "\x9d\x01\x2a"]],
    bytes: 30,
    read: (bytes) => ({
      width: lowBits(bytes.getUint16(26, true)),
      height: lowBits(bytes.getUint16(28, true)),
    }),
  },
  {
    marks: [...webp("VP8L"), [20, "\x2f"]],
    bytes: 25,
    read: (bytes) => {
      const sides = bytes.getUint32(21, true);
      return { width: lowBits(sides) + 1, height: lowBits(sides >>> SIDE_BITS) + 1 };
    },
  },
  {
    marks: webp("VP8X"),
    bytes: 30,
    read: (bytes) => ({
      width: (bytes.getUint32(24, true) & 0xff_ff_ff) + 1,
      height: (bytes.getUint32(26, true) >>> 8) + 1,
    }),
  },
];

const lowBits = (value: number): number => value & ((1 << SIDE_BITS) - 1);

function hasMark(bytes: DataView, at: number, mark: string): boolean {
  if (at + mark.length > bytes.byteLength) return false;
  return Array.from(mark).every((sign, index) => bytes.getUint8(at + index) === sign.charCodeAt(0));
}

/** The segments before the one of the frame have any length: metadata of cameras, profiles of colours. */
function readJpeg(bytes: DataView): ImageSize | undefined {
  // A frame's segment has its marker, length and precision before the sides.
  for (let at = 2; at + 9 <= bytes.byteLength;) {
    const marker = bytes.getUint8(at + 1);
    if (bytes.getUint8(at) !== 0xff) return undefined;
    if (isFrame(marker)) return { height: bytes.getUint16(at + 5), width: bytes.getUint16(at + 7) };
    // Its picture begins, or it ends.
    if (marker === 0xd9 || marker === 0xda) return undefined;
    if (marker === 0xff) at++;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else {
      const length = bytes.getUint16(at + 2);
      if (length < 2) return undefined;
      at += 2 + length;
    }
  }
  return undefined;
}

/** Markers of frames: C4, C8 and CC are of tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
