const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The prefixes of string ids; kinds that are not listed have none. */
export type IdPrefix =
  | "skl"
  | "fil"
  | "vlt"
  | "dsv"
  | "dts"
  | "msv"
  | "mcp"
  | "cms"
  | "sfn"
  | "sfi"
  | "act"
  | "sum"
  | "key"
  | "tok"
  | "bud"
  | "tar"
  | "trg"
  | "tre"
  | "trd"
  | "whk"
  | "whd"
  | "sch"
  | "fir"
  | "svw"
  | "alr"
  | "inc"
  | "mem"
  | "mpr"
  | "web";

// A system call for a few bytes costs as much as for many.
const pool = new Uint8Array(4096);
let unused = 0;

function nextByte(): number {
  if (unused === 0) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  return pool[--unused] ?? 0;
}

/** Random text of `length` characters of `[A-Za-z0-9]`, each drawn without bias. */
export function randomBase62(length: number): string {
  let result = "";
  while (result.length < length) {
    const byte = nextByte();
    // 248 is the largest multiple of 62 in a byte: above it a character would be favoured.
    if (byte < 248) result += ALPHABET[byte % 62];
  }
  return result;
}

/** A new string id: 10 random characters, after `<prefix>_` for the kinds that have one. */
export function newId(prefix?: IdPrefix): string {
  return prefix === undefined ? randomBase62(10) : `${prefix}_${randomBase62(10)}`;
}

/** Writes a whole number in base 62, padded with zeros to `length` characters. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = (ALPHABET[rest % 62] ?? "") + text;
  }
  return text;
}
