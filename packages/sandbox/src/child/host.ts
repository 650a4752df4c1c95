import { randomBytes } from "node:crypto";
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { FetchRequest, FromChild, GuestFailure, GuestLimits } from "./messages.ts";

/** What the code inside may set of a URL. */
const settable = [
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
] as const;
const MAX_CHARACTERS = 65_536;
/**
 * JSON of the parts of a URL, as JSON asks for it: the URL, its base, and a part to set with its value. Undefined
 * if it is none, or too long.
 */
function parseUrl(asked: string): string | undefined {
  const given: unknown = JSON.parse(asked);
  if (!Array.isArray(given)) return undefined;
  const isText = (part: unknown) => typeof part === "string" && part.length <= MAX_CHARACTERS;
  if (!given.every((part) => part === null || isText(part))) return undefined;
  const [href, base, name, value] = given as (string | null)[];
  if (typeof href !== "string") return undefined;
  const part = settable.find((one) => one === name);
  const url = URL.parse(href, base ?? undefined);
  if (url === null) return undefined;
  try {
    if (part !== undefined) url[part] = value ?? "";
  } catch {
    return undefined;
  }
  const parts = settable.map((one) => [one, url[one]]);
  return JSON.stringify({ ...Object.fromEntries(parts), origin: url.origin });
}

/** One run of a guest, as its host functions see it. */
export interface GuestRun {
  readonly timers: Map<number, NodeJS.Timeout>;
  /** Bodies of answers that the code has not read. */
  readonly bodies: Map<number, Buffer>;
  readonly limits: GuestLimits;
  readonly secrets: Readonly<Record<string, string>>;
  readonly printed: { lines: number; bytes: number; reports: number };
  /** Timers and requests that will wake the code. */
  pending: number;
}

/** An error as the code inside describes it. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly reason: string;
}

/** What the host functions cause. */
export interface HostCalls {
  send(message: FromChild, body?: Uint8Array): void;
  /** The run that calls, unless it is over. */
  current(): GuestRun | undefined;
  wake(kind: "timer", id: number, text: string): void;
  fail(code: GuestFailure, error: GuestError): void;
  returned(text: string): void;
}

/** Timers that a guest may have at once. */
const MAX_TIMERS = 1000;
/** A line is cut by the sandbox, with a mark: what is longer is not carried to it. */
const MAX_LINE_CHARACTERS = 20_000;
const MAX_REPORTS = 10_000;
/** Random bytes of one call. */
const MAX_RANDOM_BYTES = 65_536;
/** What each line costs beside its text. */
const LINE_BYTES = 1;

/**
 * The functions that code inside can reach: each takes texts and numbers, checks their types, and does what the
 * code may do. Nothing else of the child is reachable.
 */
export function defineHost(context: QuickJSContext, calls: HostCalls): QuickJSHandle {
  const text = (handle: QuickJSHandle | undefined): string => {
    if (handle === undefined || context.typeof(handle) !== "string") throw new TypeError("No text");
    return context.getString(handle);
  };
  const number = (handle: QuickJSHandle | undefined): number => {
    if (handle === undefined || context.typeof(handle) !== "number") {
      throw new TypeError("No number");
    }
    return context.getNumber(handle);
  };
  const json = (handle: QuickJSHandle | undefined): string => String(JSON.parse(text(handle)));
  const host = context.newObject();
  type Work = (run: GuestRun, ...given: QuickJSHandle[]) => QuickJSHandle | void;
  const define = (name: string, work: Work) => {
    const checked = (...given: QuickJSHandle[]) => {
      const run = calls.current();
      return run === undefined ? undefined : work(run, ...given);
    };
    context.newFunction(name, checked).consume((made) => context.setProp(host, name, made));
  };
  define("log", ({ limits, printed }, stream, line) => {
    const shown = json(line);
    printed.bytes += Buffer.byteLength(shown) + LINE_BYTES;
    if (printed.bytes > limits.logBytes) {
      const message = `The function may print at most ${limits.logBytes} bytes`;
      calls.fail("log_too_large", { name: "", message, stack: "", reason: "" });
    } else if (++printed.lines <= limits.maxLogLines) {
      const known = text(stream) === "stderr" ? "stderr" : "stdout";
      calls.send({ type: "log", stream: known, text: shown.slice(0, MAX_LINE_CHARACTERS) });
    }
  });
  define("progress", ({ printed }, fraction, label) => {
    if (++printed.reports > MAX_REPORTS) return;
    const shown = json(label).slice(0, MAX_LINE_CHARACTERS);
    calls.send({ type: "progress", fraction: number(fraction), label: shown });
  });
  define("timer", (run, handle, wait) => {
    if (run.timers.size >= MAX_TIMERS) throw new RangeError(`More than ${MAX_TIMERS} timers`);
    const id = number(handle);
    run.pending++;
    const ring = (): void => {
      run.timers.delete(id);
      run.pending--;
      calls.wake("timer", id, "null");
    };
    run.timers.set(id, setTimeout(ring, number(wait)));
  });
  define("stopTimer", (run, handle) => {
    const id = number(handle);
    const timer = run.timers.get(id);
    if (timer === undefined) return;
    clearTimeout(timer);
    run.timers.delete(id);
    run.pending--;
  });
  define("secret", ({ secrets }, name) => {
    const wanted = json(name);
    if (!Object.hasOwn(secrets, wanted)) return context.undefined;
    return context.newString(JSON.stringify(secrets[wanted]));
  });
  define("fetch", (run, handle, request, content) => {
    const body =
      content !== undefined && context.typeof(content) === "string"
        ? Buffer.from(json(content))
        : context.getArrayBuffer(content).consume(({ value }) => Buffer.from(value));
    run.pending++;
    const asked = JSON.parse(text(request)) as FetchRequest;
    calls.send({ type: "fetch", id: number(handle), request: asked }, body);
  });
  define("body", ({ bodies }, handle, kind) => {
    const id = number(handle);
    const body = bodies.get(id) ?? Buffer.alloc(0);
    bodies.delete(id);
    if (text(kind) === "text") return context.newString(JSON.stringify(body.toString()));
    return context.newArrayBuffer(new Uint8Array(body).buffer);
  });
  define("random", (_run, count) => {
    const bytes = number(count);
    if (!Number.isInteger(bytes) || bytes < 0 || bytes > MAX_RANDOM_BYTES) {
      throw new RangeError(`At most ${MAX_RANDOM_BYTES} random bytes`);
    }
    return context.newString(randomBytes(bytes).toString("hex"));
  });
  define("url", (_run, asked) => {
    const parts = parseUrl(text(asked));
    return parts === undefined ? context.undefined : context.newString(parts);
  });
  define("fail", (_run, code, description) => {
    calls.fail(text(code) as GuestFailure, JSON.parse(text(description)) as GuestError);
  });
  define("returned", (_run, result) => calls.returned(text(result)));
  return host;
}

/** What a run printed and reported past its limits. */
export function droppedOf({ limits, printed }: GuestRun): { lines: number; reports: number } {
  return {
    lines: Math.max(0, printed.lines - limits.maxLogLines),
    reports: Math.max(0, printed.reports - MAX_REPORTS),
  };
}
