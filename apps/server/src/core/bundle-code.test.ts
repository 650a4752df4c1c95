import { expect, it } from "vitest";
import { createBundleCode } from "./bundle-code.ts";

const open = () =>
  createBundleCode({
    PARLEY_SANDBOX_MAX_SOURCE_BYTES: 1_048_576,
    PARLEY_SANDBOX_MAX_BUNDLE_BYTES: 4_194_304,
  });
const program = { "index.ts": "export default (input: number): number => input + 1;" };
const signal = new AbortController().signal;

it("starts a workspace's bundle while one builder has 22 connections", async () => {
  const bundleCode = open();
  let ended = 0;
  const flood = Array.from({ length: 22 }, async () => {
    await bundleCode(program, { workspaceId: 1, signal });
    ended++;
  });
  const flooded = Promise.allSettled(flood);
  // Its bundle takes as long as one of theirs: it waits for none of them, and one more may end earlier.
  expect(await bundleCode(program, { workspaceId: 2, signal })).toHaveProperty("bundle");
  expect(ended).toBeLessThanOrEqual(2);
  const refused = (await flooded).filter(({ status }) => status === "rejected");
  expect(refused.map((one) => (one as PromiseRejectedResult).reason as unknown)).toEqual([
    expect.objectContaining({ type: "rate_limit_error" }),
  ]);
});

it("leaves nobody's place taken by a request that was given up", async () => {
  const bundleCode = open();
  const abort = new AbortController();
  const waits = Array.from({ length: 10 }, () =>
    bundleCode(program, { workspaceId: 1, signal: abort.signal }),
  );
  const settled = Promise.allSettled(waits);
  abort.abort(new Error("gone"));
  const answers = await Promise.all(
    [1, 2, 3].map((workspaceId) => bundleCode(program, { workspaceId, signal })),
  );
  for (const answer of answers) expect(answer).toHaveProperty("bundle");
  const given = (await settled).map(({ status }) => status);
  expect(given.filter((status) => status === "rejected")).toHaveLength(9);
});
