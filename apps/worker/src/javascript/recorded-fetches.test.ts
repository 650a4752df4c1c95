import { expect, test } from "vitest";
import { createPlayback, type RecordedFetch } from "./recorded-fetches.ts";

const url = "https://example.com/";
const recorded = (body: string, more: Partial<RecordedFetch> = {}): RecordedFetch => ({
  method: "GET",
  url: "https://example.com",
  status: 200,
  headers: { "content-type": "text/plain" },
  body: Buffer.from(body),
  ...more,
});
const limits = { timeoutMs: 1000, maxBytes: 5, maxRequests: 10 };

test("each recorded answer is given once, in order, and what is missing or left is named", async () => {
  const playback = createPlayback([
    recorded("one"),
    recorded("", { method: "POST", status: 204 }),
    recorded("2"),
    recorded("left"),
  ]);
  const session = playback.guard.open(limits);
  expect(await (await session.fetch(url)).text()).toBe("one");
  const second = await session.fetch(url);
  expect([second.headers.get("content-type"), await second.text()]).toEqual(["text/plain", "2"]);
  expect((await session.fetch(url, { method: "POST" })).status).toBe(204);
  await expect(session.fetch(`${url}other`)).rejects.toMatchObject({ code: "unreachable" });
  expect(playback.unrecorded).toEqual(["GET https://example.com/other"]);
  expect(playback.unused).toEqual(["GET https://example.com/"]);
});

test("limits and hosts hold, and no other protocol is known", async () => {
  const playback = createPlayback([recorded("long one")]);
  const session = playback.guard.open(limits);
  await expect(session.fetch(url)).rejects.toMatchObject({ code: "too_large" });
  const permit = () => {
    throw new Error("no");
  };
  await expect(session.fetch(url, { permit })).rejects.toThrow("no");
  await expect(session.fetch("file:///etc/hosts")).rejects.toMatchObject({
    code: "refused_address",
  });
  expect(playback.unrecorded).toEqual([]);
});
