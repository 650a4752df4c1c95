import { setTimeout as sleep } from "node:timers/promises";
import { appendEvents, inTransaction, type LogStream } from "@parley/core";
import { openTestCore, openTestLog, type TestCore, testEnd, testToken } from "@parley/core/testing";
import { type MessageEvent, ParleyError } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askedAhead, followStream } from "./follow-stream.ts";

describe("followStream", () => {
  let test: TestCore;
  beforeAll(async () => void (test = await openTestCore()));
  afterAll(() => test.close());

  const append = (logId: string, ...events: MessageEvent[]) =>
    inTransaction(test.core, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events }], afterCommit);
    });

  interface Options {
    readonly stream?: Partial<LogStream>;
    readonly after?: number | undefined;
    readonly signal?: AbortSignal;
  }
  const follow = (logId: string, { stream, signal, ...rest }: Options = {}) =>
    followStream<MessageEvent>(
      test.core,
      {
        logId,
        hidden: new Set(),
        enveloped: true,
        afterEnd: "terminal event",
        space: undefined,
        ...stream,
      },
      { after: 0, signal: signal ?? new AbortController().signal, ...rest },
    );
  /** What a follower gets, and how it ends. */
  const collect = async (events: ReturnType<typeof follow>) => {
    const ids: string[] = [];
    try {
      for await (const [id, event] of events) ids.push(`${id} ${event.type}`);
      return { ids, end: "complete" };
    } catch (error) {
      const { name, cause } = error as Error;
      return { ids, end: cause instanceof ParleyError ? cause.type : name };
    }
  };
  const token = (text: string) => testToken(text);

  it("gives each event its number, and completes after the terminal one", async () => {
    const logId = await openTestLog(test.core);
    const followed = collect(follow(logId));
    await append(logId, token("a"), token("b"));
    await append(logId, testEnd);
    const ids = ["1 generation_tokens", "2 generation_tokens", "3 agent_generation_cancelled"];
    expect(await followed).toEqual({ ids, end: "complete" });
    expect(await collect(follow(logId, { after: 2 }))).toEqual({
      ids: ids.slice(2),
      end: "complete",
    });
  });

  it("leaves out what was not asked for, and keeps the numbers", async () => {
    const logId = await openTestLog(test.core);
    await append(logId, token("a"), testEnd);
    const hidden = new Set(["generation_tokens"]);
    const ids = ["2 agent_generation_cancelled"];
    expect(await collect(follow(logId, { stream: { hidden } }))).toEqual({
      ids,
      end: "complete",
    });
  });

  it("completes at once if there is nothing left", async () => {
    const logId = await openTestLog(test.core);
    expect(await collect(follow(logId, { after: undefined }))).toEqual({
      ids: [],
      end: "complete",
    });
  });

  it("breaks off when nothing happens for too long, so that clients resume", async () => {
    const logId = await openTestLog(test.core);
    await append(logId, token("a"));
    const followed = collect(follow(logId, { stream: { idleTimeoutMs: 30 } }));
    expect(await followed).toEqual({ ids: ["1 generation_tokens"], end: "AbortError" });
  });

  it("breaks off when the server shuts down", async () => {
    const abort = new AbortController();
    const followed = collect(follow(await openTestLog(test.core), { signal: abort.signal }));
    abort.abort();
    expect(await followed).toEqual({ ids: [], end: "AbortError" });
  });

  it("fails with the refusal when the key is refused in the meantime", async () => {
    const ended = new AbortController();
    const followed = collect(follow(await openTestLog(test.core), { signal: ended.signal }));
    ended.abort(new ParleyError("invalid_api_key_error", "Revoked"));
    expect(await followed).toEqual({ ids: [], end: "invalid_api_key_error" });
  });

  it("rejects nothing unheard when it is asked ahead and refused before anybody listens", async () => {
    const ended = new AbortController();
    const logId = await openTestLog(test.core);
    const events = askedAhead(follow(logId, { signal: ended.signal }))[Symbol.asyncIterator]();
    const next = events.next();
    ended.abort(new ParleyError("invalid_api_key_error", "Revoked"));
    // A rejection that is unheard until then would fail this run, as it would end a server.
    await sleep(30);
    await expect(next).rejects.toThrow("Revoked");
  });
});
