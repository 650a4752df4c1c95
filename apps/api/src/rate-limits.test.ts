import type { RateLimitClass } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { ApiSettings } from "./config.ts";
import { createRateLimits } from "./rate-limits.ts";

const create = (settings: Record<string, number> = {}) => {
  const limits = createRateLimits(ApiSettings.parse(settings));
  return {
    ...limits,
    /** Counts one call and gives the headers that were set. */
    consume: async (kind: RateLimitClass, subject: string) => {
      let set: Record<string, string> = {};
      await limits.consume(kind, subject, (headers) => (set = headers));
      return set;
    },
  };
};

describe("rate limits", () => {
  it("tell policies and what is left as structured fields", async () => {
    const limits = create({ PARLEY_RATE_CREATE_PER_MINUTE: 100 });
    expect(await limits.consume("create", "key")).toEqual({
      "RateLimit-Policy": '"create";q=100;w=60, "create-hour";q=3000;w=3600',
      RateLimit: '"create";r=99;t=60, "create-hour";r=2999;t=3600',
    });
    expect((await limits.consume("create", "key"))["RateLimit"]).toMatch(/^"create";r=98;t=60,/);
    expect((await limits.consume("create", "other"))["RateLimit"]).toMatch(/^"create";r=99;/);
  });

  it("refuse with the time to wait once a quota is used up, for that subject and class alone", async () => {
    const limits = create({ PARLEY_RATE_READ_PER_MINUTE: 2, PARLEY_RATE_INVOKE_PER_MINUTE: 1 });
    await limits.consume("read", "key");
    await limits.consume("read", "key");
    const refused = limits.consume("read", "key");
    await expect(refused).rejects.toMatchObject({
      type: "rate_limit_error",
      status: 429,
      retryAfterSeconds: 60,
    });
    await expect(limits.consume("read", "other")).resolves.toBeDefined();
    await expect(limits.consume("invoke", "key")).resolves.toEqual({
      "RateLimit-Policy": '"invoke";q=1;w=60',
      RateLimit: '"invoke";r=0;t=60',
    });
  });

  it("refuse a create by the hour where the minute would allow it", async () => {
    const limits = create({ PARLEY_RATE_CREATE_PER_HOUR: 1 });
    await limits.consume("create", "key");
    const refused = await limits.consume("create", "key").catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: "rate_limit_error" });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(3500);
  });

  it("limit nothing where the quota is 0", async () => {
    const limits = create({
      PARLEY_RATE_READ_PER_MINUTE: 0,
      PARLEY_RATE_CREATE_PER_MINUTE: 0,
      PARLEY_RATE_FAILED_AUTH_PER_MINUTE: 0,
    });
    const unlimited: RateLimitClass[] = ["read", "stream", "operate"];
    for (const kind of unlimited) expect(await limits.consume(kind, "key")).toEqual({});
    await expect(limits.consumeFailure("127.0.0.1")).resolves.toBeUndefined();
    expect(await limits.consume("create", "key")).toMatchObject({
      "RateLimit-Policy": '"create-hour";q=3000;w=3600',
    });
  });

  it("count refused credentials by address, apart from everything else", async () => {
    const limits = create({ PARLEY_RATE_FAILED_AUTH_PER_MINUTE: 2 });
    await limits.consumeFailure("10.0.0.1");
    await limits.consumeFailure("10.0.0.1");
    await expect(limits.consumeFailure("10.0.0.1")).rejects.toMatchObject({ status: 429 });
    await expect(limits.consumeFailure("10.0.0.2")).resolves.toBeUndefined();
    await expect(limits.consume("read", "10.0.0.1")).resolves.toBeDefined();
  });
});
