// Defines what turns values into others: base64, copies, and random bytes. Only the latter come from the host, as text.
/**
 * @param {Host} host
 * @param {Define} define
 */
(function (host, define) {
  "use strict";
  const {
    freeze,
    keys,
    getPrototypeOf,
    prototype: { toString },
  } = Object;
  const tagOf = Function.prototype.call.bind(toString);
  const { fromCharCode } = String;
  const at = Function.prototype.call.bind(String.prototype.charCodeAt);
  const replace = Function.prototype.call.bind(String.prototype.replace);
  const isView = ArrayBuffer.isView;
  const isArray = Array.isArray;
  const [Bytes, Buffer, Known, Fault, Dates, Patterns, Maps, Sets, toText] = [
    Uint8Array,
    ArrayBuffer,
    WeakMap,
    DOMException,
    Date,
    RegExp,
    Map,
    Set,
    String,
  ];
  const integers = [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    BigInt64Array,
    BigUint64Array,
  ];

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const values = new Bytes(128).fill(255);
  for (let index = 0; index < 64; index++) values[at(DIGITS, index)] = index;
  const notBase64 = (message) => new Fault(message, "InvalidCharacterError");
  const btoa = (given) => {
    const text = toText(given);
    let all = "";
    for (let index = 0; index < text.length; index += 3) {
      const [a, b, c] = [at(text, index), at(text, index + 1), at(text, index + 2)];
      if (a > 255 || b > 255 || c > 255)
        throw notBase64("btoa takes characters up to U+00FF: encode other text first");
      all +=
        DIGITS[a >> 2] +
        DIGITS[((a & 3) << 4) | (b >> 4)] +
        (b === b ? DIGITS[((b & 15) << 2) | (c >> 6)] : "=") +
        (c === c ? DIGITS[c & 63] : "=");
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
      if (bits >= 8) {
        bits -= 8;
        all += fromCharCode((held >> bits) & 255);
      }
    }
    return all;
  };

  const uncloneable = (what) => new Fault(what + " cannot be cloned", "DataCloneError");
  /** @type {(value: any, known: WeakMap<object, unknown>) => any} */
  const clone = (value, known) => {
    if (typeof value === "function" || typeof value === "symbol")
      throw uncloneable("A " + typeof value);
    if (typeof value !== "object" || value === null) return value;
    if (known.has(value)) return known.get(value);
    const keep = (copy) => {
      known.set(value, copy);
      return copy;
    };
    if (value instanceof Buffer) return keep(value.slice(0));
    if (isView(value)) {
      /** @type {any} */
      const view = value;
      const buffer = clone(view.buffer, known);
      const Kind = view.constructor;
      return keep(new Kind(buffer, view.byteOffset, view.length ?? view.byteLength));
    }
    if (value instanceof Dates) return keep(new Dates(value.getTime()));
    if (value instanceof Patterns) return keep(new Patterns(value.source, value.flags));
    if (value instanceof Maps) {
      const copy = keep(new Maps());
      // oxlint-disable-next-line unicorn/no-useless-spread -- getters may change it meanwhile
      for (const [key, one] of [...value]) copy.set(clone(key, known), clone(one, known));
      return copy;
    }
    if (value instanceof Sets) {
      const copy = keep(new Sets());
      // oxlint-disable-next-line unicorn/no-useless-spread -- getters may change it meanwhile
      for (const one of [...value]) copy.add(clone(one, known));
      return copy;
    }
    const tag = tagOf(value);
    if (
      tag === "[object Boolean]" ||
      tag === "[object Number]" ||
      tag === "[object String]" ||
      tag === "[object BigInt]"
    )
      return keep(Object(value.valueOf()));
    if (value instanceof Error) {
      const copy = keep(Object.create(getPrototypeOf(value)));
      for (const name of ["name", "message", "stack", "cause"])
        if (name in value)
          Object.defineProperty(copy, name, {
            value: clone(value[name], known),
            writable: true,
            configurable: true,
          });
      return copy;
    }
    if (
      value instanceof Promise ||
      value instanceof WeakMap ||
      value instanceof WeakSet ||
      value instanceof WeakRef
    )
      throw uncloneable(tag);
    // oxlint-disable-next-line unicorn/no-new-array -- what is left out stays left out
    const copy = keep(isArray(value) ? new Array(value.length) : {});
    for (const key of keys(value))
      Object.defineProperty(copy, key, {
        value: clone(value[key], known),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return copy;
  };
  /** @type {(value: unknown, options?: { transfer?: Iterable<unknown> }) => unknown} */
  const structuredClone = (value, { transfer } = {}) => {
    if (transfer !== undefined && [...transfer].length > 0)
      throw uncloneable("What is transferred");
    return clone(value, new Known());
  };

  const MAX_RANDOM = 65536;
  const getRandomValues = (array) => {
    if (!integers.some((kind) => array instanceof kind))
      throw new Fault("getRandomValues takes a view of integers", "TypeMismatchError");
    if (array.byteLength > MAX_RANDOM)
      throw new Fault(
        "getRandomValues takes at most " + MAX_RANDOM + " bytes",
        "QuotaExceededError",
      );
    const bytes = new Bytes(array.buffer, array.byteOffset, array.byteLength);
    const hex = host.random(bytes.length);
    for (let index = 0; index < bytes.length; index++)
      bytes[index] = parseInt(hex[2 * index] + hex[2 * index + 1], 16);
    return array;
  };
  const randomUUID = () => {
    const hex = host.random(16);
    const variant = "89ab"[parseInt(hex[16], 16) & 3];
    return (
      hex.slice(0, 8) +
      "-" +
      hex.slice(8, 12) +
      "-4" +
      hex.slice(13, 16) +
      "-" +
      variant +
      hex.slice(17, 20) +
      "-" +
      hex.slice(20)
    );
  };

  for (const made of [atob, btoa, structuredClone]) define(made.name, freeze(made));
  define(
    "crypto",
    freeze({ getRandomValues: freeze(getRandomValues), randomUUID: freeze(randomUUID) }),
  );
});
