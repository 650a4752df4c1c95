// Runs before the module of an author. It is no boundary: whatever code inside can reach here, it may call. It keeps
// what it needs of the globals, so that an author who changes them breaks nothing by accident. Texts cross as JSON,
// because the runtime ends them at a NUL.
/**
 * @param {Host} host
 * @param {(define: Define) => Codec} defineEncoding
 * @param {(host: Host, define: Define) => void} defineValues
 * @param {(host: Host, define: Define, codec: Codec) => void} defineUrls
 */
(function (host, defineEncoding, defineValues, defineUrls) {
  "use strict";
  const { parse, stringify } = JSON;
  const { defineProperty, freeze, create, keys } = Object;
  const slice = Function.prototype.call.bind(ArrayBuffer.prototype.slice);
  const isView = ArrayBuffer.isView;
  const toText = String;
  const NativeError = Error;
  const Bytes = Uint8Array;
  const Buffer = ArrayBuffer;
  const waiting = create(null);
  const listeners = [];
  let ids = 0;
  let aborted = false;
  let reason;

  const refusal = (code, message) => {
    const error = new NativeError(message);
    error.name = "RefusedError";
    defineProperty(error, "code", { value: code });
    return error;
  };

  const show = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof NativeError)
      return toText(value.stack ? value.name + ": " + value.message + "\n" + value.stack : value);
    if (typeof value === "object" && value !== null) {
      try {
        return stringify(value) ?? toText(value);
      } catch {
        return "[object]";
      }
    }
    return toText(value);
  };
  const print = (level, parts) => {
    let text = "";
    for (let index = 0; index < parts.length; index++)
      text += (index === 0 ? "" : " ") + show(parts[index]);
    host.log(level === "error" || level === "warn" ? "stderr" : "stdout", stringify(text));
  };
  /** @type {Define} */
  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true });

  const console = {};
  for (const level of ["debug", "info", "log", "warn", "error"])
    console[level] = (...parts) => print(level, parts);
  define("console", console);
  const codec = defineEncoding(define);
  defineValues(host, define);
  defineUrls(host, define, codec);

  const start = (callback, ms, given, repeats) => {
    if (typeof callback !== "function") throw new TypeError("A timer needs a function");
    const id = ++ids;
    const wait = Math.max(0, Math.min(Number(ms) || 0, 2147483647));
    waiting[id] = () => {
      if (repeats) host.timer(id, wait);
      else delete waiting[id];
      callback(...given);
    };
    host.timer(id, wait);
    return id;
  };
  const stop = (id) => {
    if (typeof id !== "number" || !waiting[id]) return;
    delete waiting[id];
    host.stopTimer(id);
  };
  define("setTimeout", (callback, ms, ...given) => start(callback, ms, given, false));
  define("setInterval", (callback, ms, ...given) => start(callback, ms, given, true));
  define("clearTimeout", stop);
  define("clearInterval", stop);

  const signal = {
    get aborted() {
      return aborted;
    },
    get reason() {
      return reason;
    },
    throwIfAborted() {
      if (aborted) throw reason;
    },
    addEventListener(type, listener) {
      if (type === "abort" && typeof listener === "function")
        listeners[listeners.length] = listener;
    },
    removeEventListener(_type, listener) {
      for (let index = 0; index < listeners.length; index++)
        if (listeners[index] === listener) listeners[index] = undefined;
    },
  };

  const makeHeaders = (pairs) => {
    const known = create(null);
    for (let index = 0; index < pairs.length; index++) {
      const [name, value] = pairs[index];
      known[name] = name in known ? known[name] + ", " + value : value;
    }
    const list = () => keys(known).map((name) => [name, known[name]]);
    return freeze({
      get: (name) => known[toText(name).toLowerCase()] ?? null,
      has: (name) => toText(name).toLowerCase() in known,
      keys: () => keys(known)[Symbol.iterator](),
      entries: () => list()[Symbol.iterator](),
      forEach: (callback) => {
        for (const name of keys(known)) callback(known[name], name);
      },
      [Symbol.iterator]: () => list()[Symbol.iterator](),
    });
  };
  const pairsOf = (headers) => {
    if (headers === undefined || headers === null) return [];
    const pairs =
      typeof headers[Symbol.iterator] === "function"
        ? [...headers]
        : keys(headers).map((name) => [name, headers[name]]);
    return pairs.map(([name, value]) => [toText(name), toText(value)]);
  };
  const bytesOf = (body) => {
    if (body === undefined || body === null || typeof body === "string") return undefined;
    if (body instanceof Buffer) return body;
    if (isView(body)) return slice(body.buffer, body.byteOffset, body.byteOffset + body.byteLength);
    throw new TypeError("A body must be a string, an ArrayBuffer or a view of one");
  };
  const makeResponse = (id, { status, url, headers }) => {
    let used = false;
    const use = (kind) => {
      if (used) throw new TypeError("The body was read before");
      used = true;
      return host.body(id, kind);
    };
    const text = async () => parse(use("text"));
    return freeze({
      status,
      url,
      ok: status >= 200 && status < 300,
      headers: makeHeaders(headers),
      get bodyUsed() {
        return used;
      },
      text,
      json: async () => parse(await text()),
      arrayBuffer: async () => use("bytes"),
      bytes: async () => new Bytes(use("bytes")),
    });
  };
  const fetch = async (input, init = {}) => {
    const { method = "GET", headers, body, redirect = "follow", signal: own } = init ?? {};
    own?.throwIfAborted?.();
    const content = bytesOf(body);
    const request = {
      url: toText(input),
      method: toText(method),
      headers: pairsOf(headers),
      redirect: redirect === "manual" ? "manual" : "follow",
      hasBody: body !== undefined && body !== null,
    };
    const id = ++ids;
    const answered = new Promise((resolve, reject) => {
      waiting[id] = (answer) => {
        delete waiting[id];
        if (answer.error) reject(refusal(answer.error.code, answer.error.message));
        else resolve(makeResponse(id, answer));
      };
    });
    host.fetch(id, stringify(request), content === undefined ? stringify(body ?? "") : content);
    return answered;
  };

  const describe = (error) => {
    try {
      if (error instanceof NativeError) {
        /** @type {Error & { readonly code?: unknown }} */
        const { name, message, stack, code } = error;
        return {
          name: toText(name),
          message: toText(message),
          stack: toText(stack ?? ""),
          reason: typeof code === "string" ? code : "",
        };
      }
      return { name: "", message: show(error), stack: "", reason: "" };
    } catch {
      return { name: "", message: "An error that cannot be shown", stack: "", reason: "" };
    }
  };
  const fail = (code, error) => host.fail(code, stringify(describe(error)));

  const run = async (module, inputText, contextText, maxOutput) => {
    let work;
    try {
      work = (await module.loaded).default;
      if (typeof work !== "function")
        throw new TypeError(
          "The module must export a function by default: export default async function (input, context) {}",
        );
    } catch (error) {
      return fail("import_failed", error);
    }
    let result;
    try {
      const { invocation, input } = {
        invocation: freeze(parse(contextText)),
        input: parse(inputText),
      };
      const context = {
        log: (level, message, data) =>
          print(toText(level), data === undefined ? [message] : [message, data]),
        progress: (fraction, message) =>
          host.progress(Number(fraction), stringify(message === undefined ? "" : toText(message))),
        secrets: freeze({
          get: (name) => {
            const found = host.secret(stringify(toText(name)));
            if (found === undefined)
              throw refusal(
                "secret_refused",
                "The function may not read the secret " + toText(name),
              );
            return parse(found);
          },
        }),
        fetch,
        signal,
        invocation,
      };
      result = await work(input, freeze(context));
    } catch (error) {
      return fail("threw", error);
    }
    let text;
    try {
      text = result === undefined ? "null" : stringify(result);
      if (typeof text !== "string")
        throw new TypeError("The result must be JSON, not " + typeof result);
    } catch (error) {
      return fail("bad_return", error);
    }
    if (text.length > maxOutput)
      return fail(
        "output_too_large",
        new NativeError("The result must be at most " + maxOutput + " bytes of JSON"),
      );
    return host.returned(text);
  };

  const wake = (kind, id, text) => {
    if (kind === "abort") {
      aborted = true;
      reason = new NativeError("The invocation ends");
      reason.name = "AbortError";
      for (let index = 0; index < listeners.length; index++) {
        try {
          listeners[index]?.({ type: "abort" });
        } catch {}
      }
      return;
    }
    if (kind === "timer") waiting[id]?.();
    else waiting[id]?.(parse(text));
  };
  return { run, wake };
});
