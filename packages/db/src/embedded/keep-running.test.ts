import { expect, it, vi } from "vitest";
import { keepRunning } from "./start-embedded.ts";
import type { Postmaster } from "./postmaster.ts";

/** Postmasters that end when they are told to; some starts fail. */
function createPostmasters({ failing = 0 } = {}) {
  const started: {
    end: (why: string) => void;
    lose: (why: string) => void;
    isStopped: boolean;
  }[] = [];
  let failuresLeft = 0;
  const start = async (): Promise<Postmaster> => {
    if (failuresLeft-- > 0) throw new Error("no room");
    failuresLeft = failing;
    const { promise: exited, resolve: end } = Promise.withResolvers<string>();
    const unreachable = Promise.withResolvers<string>();
    const postmaster = { end, lose: unreachable.resolve, isStopped: false };
    started.push(postmaster);
    return {
      exited,
      unreachable: unreachable.promise,
      stop: async () => {
        postmaster.isStopped = true;
        end("it was stopped");
      },
    };
  };
  return { start, started };
}

it("starts PostgreSQL again whenever it ends, and says so", async () => {
  const { start, started } = createPostmasters();
  const log = vi.fn<(level: string, message: string) => void>();
  const kept = await keepRunning(start, log);
  for (const count of [1, 2, 3]) {
    await vi.waitFor(() => expect(started).toHaveLength(count));
    if (count < 3) started[count - 1]?.end("killed");
  }
  expect(log.mock.calls).toEqual(
    [1, 2].map(() => ["error", "PostgreSQL is gone and is being restarted: killed"]),
  );
  await kept.stop();
  expect(started.map(({ isStopped }) => isStopped)).toEqual([true, true, true]);
});

it("stops a PostgreSQL that cannot be reached before it starts another", async () => {
  const { start, started } = createPostmasters();
  const log = vi.fn<(level: string, message: string) => void>();
  const kept = await keepRunning(start, log);
  started[0]?.lose("its socket is gone");
  await vi.waitFor(() => expect(started).toHaveLength(2));
  expect(started.map(({ isStopped }) => isStopped)).toEqual([true, false]);
  expect(log.mock.calls).toEqual([
    ["error", "PostgreSQL is gone and is being restarted: its socket is gone"],
  ]);
  await kept.stop();
});

it("tries again if a start fails, and stops in between", async () => {
  const { start, started } = createPostmasters({ failing: 2 });
  const log = vi.fn<(level: string, message: string) => void>();
  const kept = await keepRunning(start, log);
  started[0]?.end("killed");
  await vi.waitFor(() => expect(started).toHaveLength(2));
  expect(log.mock.calls.slice(1)).toEqual(
    [1, 2].map(() => ["error", "PostgreSQL did not start: no room"]),
  );
  started[1]?.end("killed");
  await vi.waitFor(() => expect(log).toHaveBeenCalledTimes(5));
  await kept.stop();
  expect(started.length).toBeLessThanOrEqual(3);
});

it("throws what the first start throws", async () => {
  const start = () => Promise.reject(new Error("no room"));
  await expect(keepRunning(start, () => {})).rejects.toThrow("no room");
});
