// Defines URL and URLSearchParams. The host parses URLs, as texts; all else is done inside.
/**
 * @param {Host} host
 * @param {Define} define
 * @param {Codec} codec
 */
(function (host, define, codec) {
  "use strict";
  const { encode, decode } = codec;
  const { parse, stringify } = JSON;
  const { freeze, keys } = Object;
  const [toText, Bytes, char] = [String, Uint8Array, String.fromCharCode];
  const HEX = "0123456789ABCDEF";

  const escape = (text) => {
    const bytes = encode(text);
    let all = "";
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      const isPlain =
        byte === 42 ||
        byte === 45 ||
        byte === 46 ||
        byte === 95 ||
        (byte > 47 && byte < 58) ||
        (byte > 64 && byte < 91) ||
        (byte > 96 && byte < 123);
      all += byte === 32 ? "+" : isPlain ? char(byte) : "%" + HEX[byte >> 4] + HEX[byte & 15];
    }
    return all;
  };
  const digit = (code) =>
    code > 47 && code < 58
      ? code - 48
      : (code | 32) > 96 && (code | 32) < 103
        ? (code | 32) - 87
        : -1;
  const unescape = (text) => {
    const bytes = encode(text);
    let length = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      const [high, low] =
        byte === 37 && index + 2 < bytes.length
          ? [digit(bytes[index + 1]), digit(bytes[index + 2])]
          : [-1, -1];
      if (high >= 0 && low >= 0) {
        bytes[length++] = (high << 4) | low;
        index += 2;
      } else bytes[length++] = byte === 43 ? 32 : byte;
    }
    return decode(new Bytes(bytes.buffer, 0, length));
  };
  const read = (query) =>
    query
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const place = part.indexOf("=");
        return place === -1
          ? [unescape(part), ""]
          : [unescape(part.slice(0, place)), unescape(part.slice(place + 1))];
      });
  const clean = (value) => toText(value).toWellFormed();

  // What only URL may do to its parameters.
  let linked;
  let replace;
  class URLSearchParams {
    static {
      linked = (query, changed) => {
        const made = new URLSearchParams(query);
        made.#changed = changed;
        return made;
      };
      replace = (params, query) => {
        params.#pairs = read(query.replace(/^\?/, ""));
      };
    }
    #pairs = [];
    #changed = (_params) => {};
    constructor(given = "") {
      if (typeof given === "object" && given !== null) {
        const pairs =
          typeof given[Symbol.iterator] === "function"
            ? [...given]
            : keys(given).map((name) => [name, given[name]]);
        this.#pairs = pairs.map((pair) => {
          const both = [...pair];
          if (both.length !== 2) throw new TypeError("Each pair must be a name and a value");
          return both.map(clean);
        });
      } else this.#pairs = read(clean(given).replace(/^\?/, ""));
    }
    get size() {
      return this.#pairs.length;
    }
    append(name, value) {
      this.#pairs.push([clean(name), clean(value)]);
      this.#changed(this);
    }
    delete(name, value) {
      const wanted = clean(name);
      this.#pairs = this.#pairs.filter(
        ([key, one]) => key !== wanted || (value !== undefined && one !== clean(value)),
      );
      this.#changed(this);
    }
    get(name) {
      const wanted = clean(name);
      return this.#pairs.find(([key]) => key === wanted)?.[1] ?? null;
    }
    getAll(name) {
      const wanted = clean(name);
      return this.#pairs.filter(([key]) => key === wanted).map(([, value]) => value);
    }
    has(name, value) {
      const wanted = clean(name);
      return this.#pairs.some(
        ([key, one]) => key === wanted && (value === undefined || one === clean(value)),
      );
    }
    set(name, value) {
      const wanted = clean(name);
      const found = this.#pairs.find(([key]) => key === wanted);
      this.#pairs = this.#pairs.filter((pair) => pair === found || pair[0] !== wanted);
      if (found === undefined) this.#pairs.push([wanted, clean(value)]);
      else found[1] = clean(value);
      this.#changed(this);
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(this);
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => escape(name) + "=" + escape(value)).join("&");
    }
  }

  /**
   * @param {unknown} url
   * @param {unknown} [base]
   * @param {string} [name]
   * @param {string} [value]
   */
  const ask = (url, base, name, value) => {
    const found = host.url(
      stringify([clean(url), base === undefined ? null : clean(base), name ?? null, value ?? null]),
    );
    return found === undefined ? undefined : parse(found);
  };
  let part;
  let change;
  class URL {
    static {
      part = (url, name) => url.#parts[name];
      change = (url, name, value) => {
        const parts = ask(url.#parts.href, undefined, name, clean(value));
        if (parts === undefined) {
          if (name === "href") throw new TypeError("Invalid URL");
          return;
        }
        url.#parts = parts;
        if (url.#params !== undefined) replace(url.#params, parts.search);
      };
    }
    #parts;
    #params;
    constructor(url, base) {
      const parts = ask(url, base);
      if (parts === undefined) throw new TypeError("Invalid URL: " + clean(url).slice(0, 200));
      this.#parts = parts;
    }
    static canParse(url, base) {
      return ask(url, base) !== undefined;
    }
    static parse(url, base) {
      return ask(url, base) === undefined ? null : new URL(url, base);
    }
    get searchParams() {
      return (this.#params ??= linked(this.#parts.search, (params) => {
        const parts = ask(this.#parts.href, undefined, "search", params.toString());
        if (parts !== undefined) this.#parts = parts;
      }));
    }
    toString() {
      return this.#parts.href;
    }
    toJSON() {
      return this.#parts.href;
    }
  }
  for (const name of [
    "href",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
  ]) {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return part(this, name);
      },
      set(value) {
        change(this, name, value);
      },
      enumerable: true,
    });
  }
  Object.defineProperty(URL.prototype, "origin", {
    get() {
      return part(this, "origin");
    },
    enumerable: true,
  });
  for (const made of [URL, URLSearchParams]) {
    freeze(made.prototype);
    define(made.name, freeze(made));
  }
});
