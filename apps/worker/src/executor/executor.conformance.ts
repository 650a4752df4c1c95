import type { ExecutionEvent, InvocationError, StoredProgram } from "@parley/schema";
import { describe, expect, it } from "vitest";
import type { Execution, SandboxExecutor } from "./executor.ts";
import { limitExecution } from "./limit-execution.ts";

/** Functions that the suite needs, as programs of the executor under test. */
export interface ConformancePrograms {
  /** Returns its input. */
  readonly echo: StoredProgram;
  /** Returns text that cannot be stored, with a NUL and a lone surrogate, in `{text}`. */
  readonly illFormed: StoredProgram;
  /** Prints the lines `1` … `count`, reports progress with each, and returns null. */
  readonly count: (count: number) => StoredProgram;
  /** Prints one line of this many characters, and returns null. */
  readonly print: (characters: number) => StoredProgram;
  /** Fails with this error, if programs choose their errors. */
  readonly fail?: (error: InvocationError) => StoredProgram;
  /** Throws an error with the message "no". */
  readonly throwing: StoredProgram;
  /** Prints a line, then waits for a minute. */
  readonly waiting: StoredProgram;
  /** Never ends, and blocks its thread. */
  readonly spinning: StoredProgram;
  /** Exceeds its memory. */
  readonly allocating: StoredProgram;
  /** Returns a text with this many characters. */
  readonly output: (characters: number) => StoredProgram;
  /** Returns nested lists of this depth. */
  readonly nested: (depth: number) => StoredProgram;
  /** How long an execution may take to its first line, in milliseconds: 100 by default. */
  readonly beginsWithinMs?: number;
  /** Makes random choices; the same for the same seed and input. */
  readonly random?: StoredProgram;
}

const limits = { timeoutMs: 10_000, maxOutputBytes: 10_000, maxLogLines: 100 };

/** The rules of the port: what every executor does, called as the worker calls it. */
export function describeSandboxExecutor(
  name: string,
  createExecutor: () => SandboxExecutor,
  programs: ConformancePrograms,
): void {
  let functions = 0;
  const execution = (program: StoredProgram, more: Partial<Execution> = {}): Execution => ({
    workspaceId: 1,
    functionId: `function ${++functions}`,
    version: 1,
    program,
    input: "null",
    timezone: "UTC",
    seed: "seed",
    attempt: 1,
    limits,
    signal: new AbortController().signal,
    ...more,
  });

  describe(`the executor port, as implemented by ${name}`, () => {
    const withExecutor = async <T>(work: (executor: SandboxExecutor) => Promise<T>): Promise<T> => {
      const executor = createExecutor();
      try {
        return await work(executor);
      } finally {
        await executor.close();
      }
    };
    const run = (program: StoredProgram, more: Partial<Execution> = {}) =>
      withExecutor((executor) =>
        Array.fromAsync(limitExecution(executor, execution(program, more))),
      );
    const end = async (program: StoredProgram, more: Partial<Execution> = {}) =>
      (await run(program, more)).at(-1);

    it.each([null, 0, "", "ä€😀", [], [1, [2, [3]]], { a: { b: [true, null] }, "": 1.5 }])(
      "returns %j as it is",
      async (input) => {
        const events = await run(programs.echo, { input: JSON.stringify(input) });
        expect(events).toEqual([{ type: "succeeded", result: input }]);
      },
    );

    it("gives logs and progress in their order, and one end after them", async () => {
      const numbers = [1, 2, 3, 4, 5];
      const events = await run(programs.count(5));
      const ofFive = events.map((event) =>
        event.type === "progress"
          ? { ...event, done: (event.done / event.total) * 5, total: 5 }
          : event,
      );
      expect(ofFive).toEqual([
        ...numbers.flatMap((number) => [
          { type: "log", stream: "stdout", text: String(number) },
          { type: "progress", done: number, total: 5, label: String(number) },
        ]),
        { type: "succeeded", result: null },
      ]);
    });

    const { fail } = programs;
    it.runIf(fail !== undefined)("gives the errors that a program chooses", async () => {
      const error = { code: "not_supported" as const, message: "not here", status: 418 };
      expect(await run(fail!(error))).toEqual([{ type: "errored", error }]);
    });

    it("gives failures as values", async () => {
      expect(await end(programs.throwing)).toMatchObject({
        type: "errored",
        error: { code: "threw", message: expect.stringContaining("no") },
      });
    });

    it("makes text well-formed that the database cannot store", async () => {
      expect(await run(programs.illFormed)).toEqual([
        { type: "succeeded", result: { text: "a\uFFFD" } },
      ]);
    });

    it("leaves out lines past the limit, and reports how many", async () => {
      const limited = { ...limits, maxLogLines: 3 };
      const events = await run(programs.count(10), { limits: limited });
      const lines = events.flatMap((event) => (event.type === "log" ? event : []));
      expect(lines.map(({ text }) => text)).toEqual([
        "1",
        "2",
        "3",
        "left out: 7 more lines (limit: 3)",
      ]);
      expect(lines.at(-1)).toMatchObject({ stream: "stderr" });
      expect(events.at(-2)).toBe(lines.at(-1));
    });

    it("cuts long lines", async () => {
      const [line] = await run(programs.print(16_000));
      expect(line).toMatchObject({ text: expect.stringMatching(/^(.)\1{15999}$/) });
    });

    it("takes results up to their limit", async () => {
      expect(await end(programs.output(9998))).toMatchObject({ type: "succeeded" });
      for (const characters of [9999, 5_000_000]) {
        expect(await end(programs.output(characters))).toMatchObject({
          type: "errored",
          error: { code: "output_too_large" },
        });
      }
      expect(await end(programs.nested(64))).toMatchObject({ type: "succeeded" });
      expect(await end(programs.nested(65))).toMatchObject({ error: { code: "bad_return" } });
    });

    it("ends as timed_out after the timeout", async () => {
      const limited = { ...limits, timeoutMs: programs.beginsWithinMs ?? 100 };
      const [waited, spun] = await withExecutor((executor) =>
        Promise.all(
          [programs.waiting, programs.spinning].map((one) =>
            Array.fromAsync(limitExecution(executor, execution(one, { limits: limited }))),
          ),
        ),
      );
      expect(waited?.map(({ type }) => type)).toEqual(["log", "errored"]);
      for (const event of [waited?.at(-1), spun?.at(-1)]) {
        expect(event).toMatchObject({ error: { code: "timed_out" } });
      }
    });

    it("ends as out_of_memory or timed_out if it takes too much memory", async () => {
      const event = await end(programs.allocating);
      expect(["out_of_memory", "timed_out"]).toContain(
        event?.type === "errored" ? event.error.code : event,
      );
    });

    it.each(["waiting", "spinning"] as const)(
      "stops at once while %s, and continues with others",
      async (kind) => {
        await withExecutor(async (executor) => {
          const abort = new AbortController();
          const signal = abort.signal;
          const running = Array.fromAsync(
            limitExecution(executor, execution(programs[kind], { signal })),
          );
          setTimeout(() => abort.abort(new Error("enough")), 20);
          await expect(running).rejects.toThrow("enough");
          const more = { input: '"x"' };
          const others = await Array.fromAsync(
            limitExecution(executor, execution(programs.echo, more)),
          );
          expect(others).toEqual([{ type: "succeeded", result: "x" }]);
        });
      },
    );

    it("throws at once if the signal has aborted", async () => {
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(run(programs.echo, { signal })).rejects.toThrow("enough");
    });

    it("can be abandoned in the middle", async () => {
      await withExecutor(async (executor) => {
        for await (const event of limitExecution(executor, execution(programs.waiting))) {
          expect(event.type).toBe("log");
          break;
        }
      });
    });

    it("isolates concurrent executions", async () => {
      await withExecutor(async (executor) => {
        const { functionId } = execution(programs.echo);
        const inputs = Array.from({ length: 50 }, (_, index) => ({ index }));
        // As long as they need to begin one after the other.
        const timeoutMs = inputs.length * (programs.beginsWithinMs ?? 100);
        const patient = { ...limits, timeoutMs: Math.max(timeoutMs, limits.timeoutMs) };
        const ends = await Promise.all(
          inputs.map(async (input) => {
            const more = { functionId, input: JSON.stringify(input), limits: patient };
            const one = execution(programs.echo, more);
            return (await Array.fromAsync(limitExecution(executor, one))).at(-1);
          }),
        );
        expect(ends).toEqual(inputs.map((result) => ({ type: "succeeded", result })));
      });
    });

    const { random } = programs;
    it.runIf(random !== undefined)("gives equal runs for equal seeds and inputs", async () => {
      const play = (more: Partial<Execution>): Promise<ExecutionEvent[]> => run(random!, more);
      const first = await play({ input: '{"a":1,"b":[2]}' });
      expect(await play({ input: '{"b":[2],"a":1}', attempt: 2 })).toEqual(first);
      expect(await play({ input: '{"a":1,"b":[3]}' })).not.toEqual(first);
      expect(await play({ input: '{"a":1,"b":[2]}', seed: "other" })).not.toEqual(first);
    });
  });
}
