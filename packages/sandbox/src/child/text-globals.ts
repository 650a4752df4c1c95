// Runs inside, as part of the prelude. Works on the memory of the code that calls it, within its limits: only random
// bytes come from the host, as text.

/** An expression of a function that defines what turns texts, bytes and values into others. */
export const TEXT_GLOBALS = String.raw`(function (host, define) {
const { freeze, keys, getPrototypeOf, prototype: { toString } } = Object;
const tagOf = Function.prototype.call.bind(toString);
const { fromCharCode } = String;
const { floor } = Math;
const at = Function.prototype.call.bind(String.prototype.charCodeAt);
const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
const replace = Function.prototype.call.bind(String.prototype.replace);
const isView = ArrayBuffer.isView;
const isArray = Array.isArray;
const [Bytes, Buffer, Known, Fault, Dates, Patterns, Maps, Sets, toText, toNumber] =
  [Uint8Array, ArrayBuffer, WeakMap, DOMException, Date, RegExp, Map, Set, String, Number];
const integers = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
const PIECE = 4096;

const encode = (given) => {
  const text = wellFormed(given);
  const bytes = new Bytes(text.length * 3);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = at(text, index);
    if (code >= 0xd800 && code < 0xdc00) code = 0x10000 + ((code & 0x3ff) << 10) + (at(text, ++index) & 0x3ff);
    if (code < 0x80) bytes[length++] = code;
    else if (code < 0x800) { bytes[length++] = 0xc0 | (code >> 6); bytes[length++] = 0x80 | (code & 63); }
    else {
      if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
      else { bytes[length++] = 0xf0 | (code >> 18); bytes[length++] = 0x80 | ((code >> 12) & 63); }
      bytes[length++] = 0x80 | ((code >> 6) & 63);
      bytes[length++] = 0x80 | (code & 63);
    }
  }
  return bytes.slice(0, length);
};

// The decoder of the Encoding Standard: state is what a part of a character has left.
const makeState = () => ({ code: 0, needed: 0, seen: 0, lower: 0x80, upper: 0xbf, begun: false });
const decode = (bytes, state, { fatal, ignoreBOM, more }) => {
  let text = "";
  let piece = "";
  const wrong = () => {
    if (fatal) throw new TypeError("The encoded data was not valid utf-8");
    emit(0xfffd);
  };
  const emit = (code) => {
    const isMark = !state.begun && code === 0xfeff && !ignoreBOM;
    state.begun = true;
    if (isMark) return;
    piece += code < 0x10000 ? fromCharCode(code) : fromCharCode(0xd7c0 + (code >> 10), 0xdc00 | (code & 0x3ff));
    if (piece.length > PIECE) { text += piece; piece = ""; }
  };
  const forget = () => { state.code = state.needed = state.seen = 0; state.lower = 0x80; state.upper = 0xbf; };
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (state.needed === 0) {
      if (byte < 0x80) emit(byte);
      else if (byte >= 0xc2 && byte <= 0xdf) { state.needed = 1; state.code = byte & 31; }
      else if (byte >= 0xe0 && byte <= 0xef) {
        if (byte === 0xe0) state.lower = 0xa0;
        if (byte === 0xed) state.upper = 0x9f;
        state.needed = 2; state.code = byte & 15;
      } else if (byte >= 0xf0 && byte <= 0xf4) {
        if (byte === 0xf0) state.lower = 0x90;
        if (byte === 0xf4) state.upper = 0x8f;
        state.needed = 3; state.code = byte & 7;
      } else wrong();
      continue;
    }
    if (byte < state.lower || byte > state.upper) { forget(); wrong(); index--; continue; }
    state.lower = 0x80; state.upper = 0xbf;
    state.code = (state.code << 6) | (byte & 63);
    if (++state.seen === state.needed) { const { code } = state; forget(); emit(code); }
  }
  if (!more && state.needed !== 0) { forget(); wrong(); }
  return text + piece;
};
const bytesOf = (given) => {
  if (given === undefined) return new Bytes(0);
  if (given instanceof Buffer) return new Bytes(given);
  if (isView(given)) return new Bytes(given.buffer, given.byteOffset, given.byteLength);
  throw new TypeError("The bytes must be an ArrayBuffer or a view of one");
};

class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return encode(toText(text)); }
  encodeInto(given, target) {
    const text = toText(given);
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const high = at(text, read);
      const step = high >= 0xd800 && high < 0xdc00 && read + 1 < text.length && at(text, read + 1) >> 10 === 0x37 ? 2 : 1;
      const bytes = encode(step === 2 ? fromCharCode(high, at(text, read + 1)) : fromCharCode(high));
      if (written + bytes.length > target.length) break;
      for (let index = 0; index < bytes.length; index++) target[written++] = bytes[index];
      read += step;
    }
    return { read, written };
  }
}
class TextDecoder {
  #fatal; #ignoreBOM; #state = makeState();
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!/^\s*(?:unicode-1-1-utf-8|utf-?8)\s*$/i.test(toText(label))) throw new RangeError("The encoding must be utf-8");
    this.#fatal = Boolean(fatal); this.#ignoreBOM = Boolean(ignoreBOM);
  }
  get encoding() { return "utf-8"; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }
  decode(given, { stream = false } = {}) {
    const state = this.#state;
    let isDone = false;
    try {
      const text = decode(bytesOf(given), state, { fatal: this.#fatal, ignoreBOM: this.#ignoreBOM, more: stream });
      isDone = Boolean(stream);
      return text;
    } finally { if (!isDone) this.#state = makeState(); }
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Bytes(128).fill(255);
for (let index = 0; index < 64; index++) values[at(DIGITS, index)] = index;
const notBase64 = (message) => new Fault(message, "InvalidCharacterError");
const btoa = (given) => {
  const text = toText(given);
  let all = "";
  for (let index = 0; index < text.length; index += 3) {
    const [a, b, c] = [at(text, index), at(text, index + 1), at(text, index + 2)];
    if (a > 255 || b > 255 || c > 255) throw notBase64("btoa takes characters up to U+00FF: encode other text first");
    all += DIGITS[a >> 2] + DIGITS[((a & 3) << 4) | (b >> 4)] + (b === b ? DIGITS[((b & 15) << 2) | (c >> 6)] : "=") + (c === c ? DIGITS[c & 63] : "=");
  }
  return all;
};
const atob = (given) => {
  let text = replace(toText(given), /[\t\n\f\r ]+/g, "");
  if (text.length % 4 === 0) text = replace(text, /={1,2}$/, "");
  if (text.length % 4 === 1) throw notBase64("The text is no base64");
  let all = "";
  let held = 0;
  let bits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = at(text, index);
    const value = code < 128 ? values[code] : 255;
    if (value === 255) throw notBase64("The text is no base64");
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) { bits -= 8; all += fromCharCode((held >> bits) & 255); }
  }
  return all;
};

const uncloneable = (what) => new Fault(what + " cannot be cloned", "DataCloneError");
const clone = (value, known) => {
  if (typeof value === "function" || typeof value === "symbol") throw uncloneable("A " + typeof value);
  if (typeof value !== "object" || value === null) return value;
  if (known.has(value)) return known.get(value);
  const keep = (copy) => { known.set(value, copy); return copy; };
  if (value instanceof Buffer) return keep(value.slice(0));
  if (isView(value)) {
    const buffer = clone(value.buffer, known);
    return keep(new value.constructor(buffer, value.byteOffset, value.length ?? value.byteLength));
  }
  if (value instanceof Dates) return keep(new Dates(value.getTime()));
  if (value instanceof Patterns) return keep(new Patterns(value.source, value.flags));
  if (value instanceof Maps) {
    const copy = keep(new Maps());
    for (const [key, one] of [...value]) copy.set(clone(key, known), clone(one, known));
    return copy;
  }
  if (value instanceof Sets) {
    const copy = keep(new Sets());
    for (const one of [...value]) copy.add(clone(one, known));
    return copy;
  }
  const tag = tagOf(value);
  if (tag === "[object Boolean]" || tag === "[object Number]" || tag === "[object String]" || tag === "[object BigInt]") return keep(Object(value.valueOf()));
  if (value instanceof Error) {
    const copy = keep(Object.create(getPrototypeOf(value)));
    for (const name of ["name", "message", "stack", "cause"]) if (name in value) Object.defineProperty(copy, name, { value: clone(value[name], known), writable: true, configurable: true });
    return copy;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) throw uncloneable(tag);
  const copy = keep(isArray(value) ? new Array(value.length) : {});
  for (const key of keys(value)) Object.defineProperty(copy, key, { value: clone(value[key], known), writable: true, enumerable: true, configurable: true });
  return copy;
};
const structuredClone = (value, { transfer } = {}) => {
  if (transfer !== undefined && [...transfer].length > 0) throw uncloneable("What is transferred");
  return clone(value, new Known());
};

const MAX_RANDOM = 65536;
const getRandomValues = (array) => {
  if (!integers.some((kind) => array instanceof kind)) throw new Fault("getRandomValues takes a view of integers", "TypeMismatchError");
  if (array.byteLength > MAX_RANDOM) throw new Fault("getRandomValues takes at most " + MAX_RANDOM + " bytes", "QuotaExceededError");
  const bytes = new Bytes(array.buffer, array.byteOffset, array.byteLength);
  const hex = host.random(bytes.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = parseInt(hex[2 * index] + hex[2 * index + 1], 16);
  return array;
};
const randomUUID = () => {
  const hex = host.random(16);
  const variant = "89ab"[parseInt(hex[16], 16) & 3];
  return hex.slice(0, 8) + "-" + hex.slice(8, 12) + "-4" + hex.slice(13, 16) + "-" + variant + hex.slice(17, 20) + "-" + hex.slice(20);
};

for (const made of [TextEncoder, TextDecoder]) { freeze(made.prototype); define(made.name, freeze(made)); }
for (const made of [atob, btoa, structuredClone]) define(made.name, freeze(made));
define("crypto", freeze({ getRandomValues: freeze(getRandomValues), randomUUID: freeze(randomUUID) }));
return { encode, decode: (bytes) => decode(bytes, makeState(), { fatal: false, ignoreBOM: true, more: false }) };
})`;
