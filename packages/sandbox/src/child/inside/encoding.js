// Defines TextEncoder and TextDecoder, and gives what encodes and decodes UTF-8. Works on the memory of the code that
// calls it, within its limits.
/** @type {(define: Define) => Codec} */
(
  function (define) {
    "use strict";
    const { freeze } = Object;
    const { fromCharCode } = String;
    const at = Function.prototype.call.bind(String.prototype.charCodeAt);
    const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
    const isView = ArrayBuffer.isView;
    const [Bytes, Buffer, toText] = [Uint8Array, ArrayBuffer, String];
    const PIECE = 4096;

    const encode = (given) => {
      const text = wellFormed(given);
      const bytes = new Bytes(text.length * 3);
      let length = 0;
      for (let index = 0; index < text.length; index++) {
        let code = at(text, index);
        if (code >= 0xd800 && code < 0xdc00)
          code = 0x10000 + ((code & 0x3ff) << 10) + (at(text, ++index) & 0x3ff);
        if (code < 0x80) bytes[length++] = code;
        else if (code < 0x800) {
          bytes[length++] = 0xc0 | (code >> 6);
          bytes[length++] = 0x80 | (code & 63);
        } else {
          if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
          else {
            bytes[length++] = 0xf0 | (code >> 18);
            bytes[length++] = 0x80 | ((code >> 12) & 63);
          }
          bytes[length++] = 0x80 | ((code >> 6) & 63);
          bytes[length++] = 0x80 | (code & 63);
        }
      }
      return bytes.slice(0, length);
    };

    // The decoder of the Encoding Standard: state is what a part of a character has left.
    const makeState = () => ({
      code: 0,
      needed: 0,
      seen: 0,
      lower: 0x80,
      upper: 0xbf,
      begun: false,
    });
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
        piece +=
          code < 0x10000
            ? fromCharCode(code)
            : fromCharCode(0xd7c0 + (code >> 10), 0xdc00 | (code & 0x3ff));
        if (piece.length > PIECE) {
          text += piece;
          piece = "";
        }
      };
      const forget = () => {
        state.code = state.needed = state.seen = 0;
        state.lower = 0x80;
        state.upper = 0xbf;
      };
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index];
        if (state.needed === 0) {
          if (byte < 0x80) emit(byte);
          else if (byte >= 0xc2 && byte <= 0xdf) {
            state.needed = 1;
            state.code = byte & 31;
          } else if (byte >= 0xe0 && byte <= 0xef) {
            if (byte === 0xe0) state.lower = 0xa0;
            if (byte === 0xed) state.upper = 0x9f;
            state.needed = 2;
            state.code = byte & 15;
          } else if (byte >= 0xf0 && byte <= 0xf4) {
            if (byte === 0xf0) state.lower = 0x90;
            if (byte === 0xf4) state.upper = 0x8f;
            state.needed = 3;
            state.code = byte & 7;
          } else wrong();
          continue;
        }
        if (byte < state.lower || byte > state.upper) {
          forget();
          wrong();
          index--;
          continue;
        }
        state.lower = 0x80;
        state.upper = 0xbf;
        state.code = (state.code << 6) | (byte & 63);
        if (++state.seen === state.needed) {
          const { code } = state;
          forget();
          emit(code);
        }
      }
      if (!more && state.needed !== 0) {
        forget();
        wrong();
      }
      return text + piece;
    };
    const bytesOf = (given) => {
      if (given === undefined) return new Bytes(0);
      if (given instanceof Buffer) return new Bytes(given);
      if (isView(given)) return new Bytes(given.buffer, given.byteOffset, given.byteLength);
      throw new TypeError("The bytes must be an ArrayBuffer or a view of one");
    };

    class TextEncoder {
      get encoding() {
        return "utf-8";
      }
      encode(text = "") {
        return encode(toText(text));
      }
      encodeInto(given, target) {
        const text = toText(given);
        let read = 0;
        let written = 0;
        while (read < text.length) {
          const high = at(text, read);
          const step =
            high >= 0xd800 &&
            high < 0xdc00 &&
            read + 1 < text.length &&
            at(text, read + 1) >> 10 === 0x37
              ? 2
              : 1;
          const bytes = encode(
            step === 2 ? fromCharCode(high, at(text, read + 1)) : fromCharCode(high),
          );
          if (written + bytes.length > target.length) break;
          for (let index = 0; index < bytes.length; index++) target[written++] = bytes[index];
          read += step;
        }
        return { read, written };
      }
    }
    class TextDecoder {
      #fatal;
      #ignoreBOM;
      #state = makeState();
      /**
       * @param {unknown} [label]
       * @param {{ fatal?: unknown, ignoreBOM?: unknown }} [options]
       */
      constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
        if (!/^\s*(?:unicode-1-1-utf-8|utf-?8)\s*$/i.test(toText(label)))
          throw new RangeError("The encoding must be utf-8");
        this.#fatal = Boolean(fatal);
        this.#ignoreBOM = Boolean(ignoreBOM);
      }
      get encoding() {
        return "utf-8";
      }
      get fatal() {
        return this.#fatal;
      }
      get ignoreBOM() {
        return this.#ignoreBOM;
      }
      /**
       * @param {unknown} [given]
       * @param {{ stream?: unknown }} [options]
       */
      decode(given, { stream = false } = {}) {
        const state = this.#state;
        let isDone = false;
        try {
          const text = decode(bytesOf(given), state, {
            fatal: this.#fatal,
            ignoreBOM: this.#ignoreBOM,
            more: stream,
          });
          isDone = Boolean(stream);
          return text;
        } finally {
          if (!isDone) this.#state = makeState();
        }
      }
    }

    for (const made of [TextEncoder, TextDecoder]) {
      freeze(made.prototype);
      define(made.name, freeze(made));
    }
    return {
      encode,
      decode: (bytes) => decode(bytes, makeState(), { fatal: false, ignoreBOM: true, more: false }),
    };
  }
);
