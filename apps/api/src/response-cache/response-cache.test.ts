import { gunzipSync } from "node:zlib";
import type { CacheableQuery } from "@parley/rpc";
import { beforeEach, expect, test } from "vitest";
import { createResponseCache } from "./response-cache.ts";

/** What a query is about: data with a version, read by callers of different access. */
let version: number;
let computed: string[];
let gate: Promise<void>;
beforeEach(() => {
  version = 1;
  computed = [];
  gate = Promise.resolve();
});

const ask = (access = "user", key = "list"): CacheableQuery => ({
  key,
  readState: async () => ({ version: String(version), access }),
  compute: async () => {
    const output = `${key} for ${access} of ${version}`;
    computed.push(output);
    await gate;
    return output;
  },
});
const textOf = ({ json }: { json: Buffer }) => JSON.parse(json.toString()) as string;

test("a response is computed once for each key, access and version", async () => {
  const { respond } = createResponseCache();
  const questions = [ask(), ask("admin"), ask("user", "other"), ask(), ask("admin")];
  const texts = [];
  for (const question of questions) texts.push(textOf(await respond(question)));
  expect(computed).toEqual(["list for user of 1", "list for admin of 1", "other for user of 1"]);
  expect(texts).toEqual([...computed, computed[0], computed[1]]);
  version++;
  expect(textOf(await respond(ask()))).toBe("list for user of 2");
  expect(textOf(await respond(ask()))).toBe("list for user of 2");
  expect(computed).toHaveLength(4);
});

test("another process's change is seen by the next query", async () => {
  const [one, other] = [createResponseCache().respond, createResponseCache().respond];
  for (const respond of [one, other]) await respond(ask());
  version++;
  for (const respond of [one, other]) {
    expect(textOf(await respond(ask()))).toBe("list for user of 2");
  }
});

test("queries that come together share one computation, each with its own access", async () => {
  const { respond } = createResponseCache();
  const asked = [ask(), ask("admin"), ask(), ask(), ask("admin")];
  const answers = await Promise.all(asked.map(async (question) => textOf(await respond(question))));
  expect(computed).toEqual(["list for user of 1", "list for admin of 1"]);
  expect(answers).toEqual([0, 1, 0, 0, 1].map((index) => computed[index]));
});

test("what was computed while something changed is cached for nobody", async () => {
  const { respond } = createResponseCache();
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const first = respond(ask());
  const second = respond(ask());
  // Both have read the first version, and the first computes.
  await new Promise((resolve) => setImmediate(resolve));
  expect(computed).toEqual(["list for user of 1"]);
  version++;
  opened.resolve();
  for (const response of [await first, await second, await respond(ask())]) {
    expect(textOf(response)).toBe("list for user of 2");
  }
  // Each of the two computed its own again, and the third one was cached.
  expect(computed).toHaveLength(4);
});

test("a failure reaches those who share it, and is not cached", async () => {
  const { respond } = createResponseCache();
  const failing = { ...ask(), compute: async () => Promise.reject(new Error("no rows")) };
  const both = await Promise.allSettled([respond(failing), respond(ask())]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(textOf(await respond(ask()))).toBe("list for user of 1");
});

test("what is cached is bounded in bytes, with room for compressed ones; the oldest use goes first", async () => {
  const { respond } = createResponseCache(12_000);
  const large = (key: string) => ({
    ...ask("user", key),
    compute: async () => {
      computed.push(key);
      return key.repeat(2000);
    },
  });
  for (const key of ["a", "b", "a", "c", "a", "b"]) await respond(large(key));
  expect(computed).toEqual(["a", "b", "c", "b"]);
  const huge = { ...ask(), compute: async () => computed.push("huge") && "x".repeat(9000) };
  expect(textOf(await respond(huge))).toHaveLength(9000);
  await respond(huge);
  expect(computed.slice(4)).toEqual(["huge", "huge"]);
});

test("a response is compressed once", async () => {
  const { respond } = createResponseCache();
  const response = await respond(ask());
  const compressed = await response.gzip();
  expect(gunzipSync(compressed).equals(response.json)).toBe(true);
  const again = await respond(ask());
  expect(await again.gzip()).toBe(compressed);
  expect(again.etag).toBe(response.etag);
});
