import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Attack } from "../attack.ts";

/** Bodies take turns, and too many are refused. */
const AGAIN_MS = 50;
const SIZE = 8 * 1024 * 1024 - 1024;

/** Bytes of a body; they are filled natively, because the bystander shares this process. */
const repeat = (unit: string, count: number) => Buffer.alloc(unit.length * count, unit);
const join = (...parts: readonly (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));
const fill = (unit: string) => repeat(unit, Math.floor((SIZE - 100) / unit.length));

/** Members with names of six letters. */
function members(count: number): Buffer {
  const body = repeat('"aaaaaa":0,', count);
  for (let index = 0; index < count; index++) {
    for (let rest = index, at = index * 11 + 6; rest > 0; rest = Math.floor(rest / 26), at--) {
      body[at] = 0x61 + (rest % 26);
    }
  }
  return join("{", body, '"z":0}');
}

/** Values of which something was done for each element, and the status each is due. */
const values: readonly { of: () => Buffer; status: number }[] = [
  { of: () => join("[", fill("0,"), "0]"), status: 400 },
  { of: () => join("[1234567890123456,", fill("0,"), "0]"), status: 400 },
  { of: () => join('["\\u0041",', fill("0,"), "0]"), status: 400 },
  { of: () => fill("["), status: 400 },
  { of: () => fill('{"a":'), status: 400 },
  { of: () => join("[", fill("{},"), "0]"), status: 400 },
  { of: () => members(700_000), status: 400 },
  { of: () => members(90_000), status: 400 },
  { of: () => join("[1234567890123456,", repeat("0,", 90_000), "0]"), status: 400 },
  // About as many as the body may hold.
  { of: () => members(15_000), status: 200 },
  { of: () => join("[1234567890123456,", repeat("0,", 15_000), "0]"), status: 200 },
  { of: () => join('["\\u0041",', repeat("{},", 15_000), "0]"), status: 200 },
  // Nothing but text.
  { of: () => join('"', fill('\\"'), '"'), status: 200 },
];

/** Bodies that hold as many JSON values as 8 MiB can, over REST and over the typed RPC. */
export const crowdedJson: Attack = {
  name: "bodies of millions of JSON values",
  run: async ({ urls, userKey, workspaceId }) => {
    const post = async (path: string, body: Buffer): Promise<number> => {
      for (;;) {
        const status = await postOnce(path, body);
        if (status !== 429) return status;
        await sleep(AGAIN_MS);
      }
    };
    const postOnce = async (path: string, body: Buffer): Promise<number> => {
      const response = await fetch(urls[0] + path, {
        method: "POST",
        headers: { authorization: `Bearer ${userKey}`, "content-type": "application/json" },
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(15_000),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const message = '"message":{"content":"x","mentions":[]}';
    for (const { of, status } of values) {
      const rest = join(`{${message},"x":`, of(), "}");
      expect(await post(`/api/v1/w/${workspaceId}/assistant/conversations`, rest)).toBe(status);
      const rpc = join(`{"json":{"wId":"${workspaceId}",${message},"x":`, of(), "}}");
      // It refuses members that it does not know.
      expect(await post("/rpc/conversations.create", rpc)).toBe(400);
    }
  },
};
