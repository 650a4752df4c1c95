import { gunzipSync } from "node:zlib";
import type { KeptQuestion } from "@parley/rpc";
import { beforeEach, expect, test } from "vitest";
import { createKeptAnswers } from "./kept-answers.ts";
import { namesTag } from "./send-kept.ts";

/** What a question is about: data with a version, read by callers of different access. */
let version: number;
let computed: string[];
let gate: Promise<void>;
beforeEach(() => {
  version = 1;
  computed = [];
  gate = Promise.resolve();
});

const readState = async (access: string) => ({ version: String(version), access });
const ask = (access = "user", key = "list"): KeptQuestion => ({
  key,
  state: { read: async () => readState(access), recent: async () => readState(access) },
  compute: async () => {
    const output = `${key} for ${access} of ${version}`;
    computed.push(output);
    await gate;
    return output;
  },
});
const textOf = ({ json }: { json: Buffer }) => JSON.parse(json.toString()) as string;

test("an answer is computed once for each key, access and version", async () => {
  const { answer } = createKeptAnswers();
  const questions = [ask(), ask("admin"), ask("user", "other"), ask(), ask("admin")];
  const texts = [];
  for (const question of questions) texts.push(textOf(await answer(question)));
  expect(computed).toEqual(["list for user of 1", "list for admin of 1", "other for user of 1"]);
  expect(texts).toEqual([...computed, computed[0], computed[1]]);
  version++;
  expect(textOf(await answer(ask()))).toBe("list for user of 2");
  expect(textOf(await answer(ask()))).toBe("list for user of 2");
  expect(computed).toHaveLength(4);
});

test("another process's change is seen by the next question", async () => {
  const [one, other] = [createKeptAnswers().answer, createKeptAnswers().answer];
  for (const answer of [one, other]) await answer(ask());
  version++;
  for (const answer of [one, other]) {
    expect(textOf(await answer(ask()))).toBe("list for user of 2");
  }
});

test("questions that come together share one computation, each with its own access", async () => {
  const { answer } = createKeptAnswers();
  const asked = [ask(), ask("admin"), ask(), ask(), ask("admin")];
  const answers = await Promise.all(asked.map(async (question) => textOf(await answer(question))));
  expect(computed).toEqual(["list for user of 1", "list for admin of 1"]);
  expect(answers).toEqual([0, 1, 0, 0, 1].map((index) => computed[index]));
});

test("what was computed while something changed is kept for nobody", async () => {
  const { answer } = createKeptAnswers();
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const first = answer(ask());
  const second = answer(ask());
  // Both have read the first version, and the first computes.
  await new Promise((resolve) => setImmediate(resolve));
  expect(computed).toEqual(["list for user of 1"]);
  version++;
  opened.resolve();
  expect(textOf(await first)).toBe("list for user of 1");
  expect(textOf(await second)).toBe("list for user of 2");
  expect(textOf(await answer(ask()))).toBe("list for user of 2");
  expect(computed).toHaveLength(3);
});

test("a failure reaches those who share it, and is not kept", async () => {
  const { answer } = createKeptAnswers();
  const failing = { ...ask(), compute: async () => Promise.reject(new Error("no rows")) };
  const both = await Promise.allSettled([answer(failing), answer(ask())]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(textOf(await answer(ask()))).toBe("list for user of 1");
});

test("what is kept is bounded in bytes, compressed ones too; the oldest use goes first", async () => {
  const { answer } = createKeptAnswers(8000);
  const large = (key: string) => ({
    ...ask("user", key),
    compute: async () => {
      computed.push(key);
      return key.repeat(2000);
    },
  });
  for (const key of ["a", "b", "a", "c", "a", "b"]) await answer(large(key));
  expect(computed).toEqual(["a", "b", "c", "b"]);
  const huge = { ...ask(), compute: async () => computed.push("huge") && "x".repeat(9000) };
  expect(textOf(await answer(huge))).toHaveLength(9000);
  await answer(huge);
  expect(computed.slice(4)).toEqual(["huge", "huge"]);
});

test("an answer is compressed once", async () => {
  const { answer } = createKeptAnswers();
  const kept = await answer(ask());
  const compressed = await kept.gzip();
  expect(gunzipSync(compressed).equals(kept.json)).toBe(true);
  const again = await answer(ask());
  expect(await again.gzip()).toBe(compressed);
  expect(again.etag).toBe(kept.etag);
});

test("an If-None-Match may name several tags", () => {
  const tag = 'W/"a"';
  for (const header of ['"a"', 'W/"a"', '"b", W/"a"', '"x,y","a"', " * "]) {
    expect(namesTag(header, tag), header).toBe(true);
  }
  for (const header of [undefined, "", "a", '"aa"', 'W/"A"', '"*"', '"b", "c"']) {
    expect(namesTag(header, tag), header).toBe(false);
  }
});
