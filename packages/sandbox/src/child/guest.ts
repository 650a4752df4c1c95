import { readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import release from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { defineHost, droppedOf, type GuestError, type GuestRun } from "./host.ts";
import type { FetchAnswer, FromChild, GuestFailure, GuestLimits, ToChild } from "./messages.ts";

/** The memory of an instance. */
interface Memory {
  /** Detached when the memory grows. */
  readonly buffer: ArrayBuffer;
}

interface Global {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  /** Sizes are in pages of 64 KiB. */
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
}

/** What is used of the runtime's WebAssembly, which the types of Node declare without its members. */
const webAssembly = (globalThis as unknown as { readonly WebAssembly: Global }).WebAssembly;

type Run = Extract<ToChild, { type: "run" }>;

/** An instance of the runtime: it runs one module, and then all of its memory is replaced or dropped. */
export interface Guest {
  /** Bytes that the code may use at most. */
  readonly memoryBytes: number;
  /** Runs a module, and resolves when its end was sent. */
  run(message: Run, code: string): Promise<void>;
  fetched(id: number, answer: FetchAnswer, body: Buffer): void;
  /** Lets parked code continue. */
  resume(): void;
  /** Tells the code that it ends, and ends it without an outcome. */
  end(): void;
  /** Makes its memory what it was before a run; false if it cannot be used again. */
  renew(): boolean;
}

const PAGE_BYTES = 65_536;
/** Of the runtime itself, beside what its code may use. */
const RUNTIME_BYTES = 16_777_216;
/** Memory of a guest that is made before it is known what it will run. */
const USUAL_MEMORY_BYTES = 67_108_864;
/** Of 1 MB: deeper recursion is the author's `RangeError`. */
const STACK_BYTES = 262_144;
const EMPTY_PAGE = Buffer.alloc(PAGE_BYTES);
const JOBS_BETWEEN_YIELDS = 1000;
/** Code that waits for longer is parked: shorter waits are not worth saying. */
const PARK_AFTER_MS = 20;

// Its types describe the CommonJS file, whose default is one level lower.
const base = release as unknown as QuickJSSyncVariant;
const wasm = readFileSync(
  fileURLToPath(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm")),
);
const wasmModule = await webAssembly.compile(wasm);

/** What is evaluated before the module of an author: each a function, the first of which is given the others. */
const scripts = ["prelude", "encoding", "values", "urls"].map((name) =>
  readFileSync(path.join(import.meta.dirname, "inside", `${name}.js`), "utf8"),
);

/** Makes an instance with its own memory, and everything in it that does not depend on what it will run. */
export async function createGuest(
  send: (message: FromChild, body?: Uint8Array) => void,
  memoryBytes: number = USUAL_MEMORY_BYTES,
): Promise<Guest> {
  const initial = RUNTIME_BYTES / PAGE_BYTES;
  const maximum = initial + Math.ceil(memoryBytes / PAGE_BYTES);
  const wasmMemory = new webAssembly.Memory({ initial, maximum });
  // Its types name WebAssembly as browsers declare it.
  const options: object = { wasmModule, wasmMemory };
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(base, options));
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext();
  let current: GuestRun | undefined;
  let isBroken = false;
  /** Whether its run has ended, while its code may still execute. */
  let isOver = false;
  let isCpuExceeded = false;
  let cpuAtStart = process.cpuUsage();
  let ended = Promise.withResolvers<void>();
  /** What woke the code while it was parked. */
  let parked: (() => void)[] | undefined;
  let parkTimer: NodeJS.Timeout | undefined;
  runtime.setInterruptHandler(() => {
    const { user, system } = process.cpuUsage(cpuAtStart);
    isCpuExceeded ||= user + system > (current?.limits.cpuMs ?? Infinity) * 1000;
    return isCpuExceeded || isOver;
  });

  /** Ends the run that is under way: nothing that its code does matters from here on. */
  const finish = (): void => {
    if (current === undefined) return;
    const dropped = droppedOf(current);
    if (dropped.lines + dropped.reports > 0) send({ type: "dropped", ...dropped });
    for (const timer of current.timers.values()) clearTimeout(timer);
    clearTimeout(parkTimer);
    parked = undefined;
    current = undefined;
    isOver = true;
    ended.resolve();
  };
  const fail = (code: GuestFailure, { name, message, stack, reason }: GuestError): void => {
    if (current === undefined) return;
    const { limits } = current;
    finish();
    // If no memory is left for an error, the runtime throws null, as may an author: who has memory.
    const isNull = name === "" && message === "null" && hasFilled(limits);
    const isOutOfMemory = isNull || (name === "InternalError" && message === "out of memory");
    send({
      type: "failed",
      code: isCpuExceeded ? "cpu_exceeded" : isOutOfMemory ? "out_of_memory" : code,
      message: [name, message].filter((part) => part !== "").join(": "),
      stack,
      reason,
    });
  };
  const hasFilled = (limits: GuestLimits): boolean =>
    limits.memoryBytes <= RUNTIME_BYTES || wasmMemory.buffer.byteLength > RUNTIME_BYTES;
  /** An error that did not come through the code inside: it was interrupted, or no memory was left for one. */
  const failWith = (error: unknown): void => {
    const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
    const code = error === null || error === undefined ? "out_of_memory" : "threw";
    fail(code, { name: String(name ?? ""), message: String(message ?? ""), stack: "", reason: "" });
  };
  /** Calls into the instance, which what it throws leaves in no state to be used again. */
  const enter = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      isBroken = true;
      failWith(error);
    }
  };

  const park = (): void => {
    parked = [];
    send({ type: "parked" });
  };
  /** Runs what is ready, parks what waits, and ends what waits for nothing. */
  const pump = async (run: GuestRun): Promise<void> => {
    while (current === run && runtime.hasPendingJob()) {
      enter(() => {
        const jobs = runtime.executePendingJobs(JOBS_BETWEEN_YIELDS);
        if (jobs.error !== undefined) failWith(context.dump(jobs.error));
      });
      if (current === run && runtime.hasPendingJob()) await yieldToLoop();
    }
    if (current !== run) return;
    if (run.pending > 0) {
      clearTimeout(parkTimer);
      parkTimer = setTimeout(park, PARK_AFTER_MS);
      return;
    }
    const message = "The function waits for a promise that nothing settles";
    fail("bad_return", { name: "", message, stack: "", reason: "" });
  };
  const call = (name: string, ...given: QuickJSHandle[]): void => {
    enter(() => {
      const called = context.callFunction(context.getProp(inside, name), context.undefined, given);
      if (called.error !== undefined) failWith(context.dump(called.error));
    });
  };
  const enterWith = (kind: string, id: number, text: string): void =>
    call("wake", context.newString(kind), context.newNumber(id), context.newString(text));
  const wake = (kind: string, id: number, text: string): void => {
    const run = current;
    if (run === undefined) return;
    if (parked !== undefined) {
      if (parked.length === 0) send({ type: "due" });
      parked.push(() => enterWith(kind, id, text));
      return;
    }
    clearTimeout(parkTimer);
    enterWith(kind, id, text);
    void pump(run);
  };

  const host = defineHost(context, {
    send,
    current: () => current,
    wake,
    fail,
    returned: (text) => {
      finish();
      send({ type: "returned" }, Buffer.from(text));
    },
  });
  const evaluate = (script: string) => context.evalCode(script, "prelude").unwrap();
  const [prelude = context.undefined, ...definers] = scripts.map(evaluate);
  const inside = context.callFunction(prelude, context.undefined, host, ...definers).unwrap();
  const restore = keepMemory(wasmMemory);

  return {
    memoryBytes,
    run: async ({ limits, input, invocation, secrets }, code) => {
      const printed = { lines: 0, bytes: 0, reports: 0 };
      const shared = { timers: new Map(), bodies: new Map(), pending: 0 };
      const run: GuestRun = { limits, secrets, printed, ...shared };
      current = run;
      ended = Promise.withResolvers<void>();
      isCpuExceeded = false;
      isOver = false;
      cpuAtStart = process.cpuUsage();
      runtime.setMemoryLimit(limits.memoryBytes);
      enter(() => {
        const module = load(context, code);
        const texts = [input, JSON.stringify(invocation)].map((text) => context.newString(text));
        call("run", module, ...texts, context.newNumber(limits.maxOutputBytes));
      });
      await pump(run);
      await ended.promise;
    },
    fetched: (id, answer, body) => {
      if (current === undefined) return;
      current.pending--;
      if (!("error" in answer)) current.bodies.set(id, body);
      wake("fetched", id, JSON.stringify(answer));
    },
    resume: () => {
      const run = current;
      const woken = parked ?? [];
      parked = undefined;
      for (const one of woken) if (current === run) one();
      if (run !== undefined) void pump(run);
    },
    end: () => {
      if (current !== undefined) enterWith("abort", 0, "");
      finish();
    },
    renew: () => !isBroken && restore(),
  };
}

/**
 * Keeps what a memory holds now, and gives what makes all of it so again: an instance whose calls have all
 * returned is then as it was. False if the memory has grown, which cannot be undone.
 */
function keepMemory({ buffer }: Memory): () => boolean {
  const pages = Array.from({ length: buffer.byteLength / PAGE_BYTES }, (_, index) =>
    Buffer.from(buffer, index * PAGE_BYTES, PAGE_BYTES),
  );
  const kept = pages.map((page) => (page.equals(EMPTY_PAGE) ? undefined : Buffer.from(page)));
  return () => {
    // A buffer is detached when its memory grows.
    if (buffer.byteLength === 0) return false;
    for (const [index, page] of pages.entries()) {
      const before = kept[index];
      if (before !== undefined) page.set(before);
      // Comparing is cheaper than writing, and few pages are used.
      else if (!page.equals(EMPTY_PAGE)) page.fill(0);
    }
    return true;
  };
}

/** Evaluates a module to `{loaded}`: its exports, or a promise of them or of its error. */
function load(context: QuickJSContext, code: string): QuickJSHandle {
  const evaluated = context.evalCode(code, "bundle.js", { type: "module", strict: true });
  const module = context.newObject();
  if (evaluated.error === undefined) {
    context.setProp(module, "loaded", evaluated.value);
    return module;
  }
  const failed = context.newPromise();
  failed.reject(evaluated.error);
  context.setProp(module, "loaded", failed.handle);
  return module;
}
