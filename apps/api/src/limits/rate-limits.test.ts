import type { RateLimitClass } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { ApiSettings } from "../config.ts";
import { createRateLimits } from "./rate-limits.ts";

const create = (settings: Record<string, number> = {}) => {
  const limits = createRateLimits(ApiSettings.parse(settings));
  return {
    ...limits,
    /** Counts one call and gives the headers that were set. */
    consume: async (kind: RateLimitClass, subject: string, workspaceId?: string) => {
      let set: Record<string, string> = {};
      const payer = { keyId: subject, workspaceId };
      await limits
        .consume(kind, payer, (headers) => (set = headers))
        .catch((error: unknown) => {
          throw Object.assign(error as Error, { set });
        });
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

  it("count what a call has cost beside itself, and refuse later calls for it", async () => {
    const limits = create({ PARLEY_RATE_READ_PER_MINUTE: 10 });
    const payer = { keyId: "key", workspaceId: undefined };
    await limits.consume("read", "key");
    await limits.spend("read", payer, 8);
    expect((await limits.consume("read", "key"))["RateLimit"]).toMatch(/^"read";r=0;/);
    await limits.spend("read", payer, 100);
    await limits.spend("read", payer, 0);
    await expect(limits.consume("read", "key")).rejects.toThrow("Too many requests");
  });

  it("refuse a create by the hour if the minute would allow it", async () => {
    const limits = create({ PARLEY_RATE_CREATE_PER_HOUR: 1 });
    await limits.consume("create", "key");
    const refused = await limits.consume("create", "key").catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: "rate_limit_error" });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(3500);
  });

  it("limit nothing if the quota is 0", async () => {
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

  it("take nothing of the hour for a call that the minute refuses", async () => {
    const limits = create({ PARLEY_RATE_CREATE_PER_MINUTE: 2, PARLEY_RATE_CREATE_PER_HOUR: 10 });
    for (let call = 0; call < 2; call++) await limits.consume("create", "key", "w");
    for (let call = 0; call < 50; call++) {
      await expect(limits.consume("create", "key", "w")).rejects.toMatchObject({
        retryAfterSeconds: 60,
        set: { RateLimit: '"create";r=0;t=60, "create-hour";r=8;t=3600' },
      });
    }
  });

  it("hold for all keys of a workspace together, and name that limit if less is left of it", async () => {
    const limits = create({ PARLEY_RATE_INVOKE_PER_MINUTE: 2, PARLEY_RATE_WORKSPACE_FACTOR: 2 });
    const left = async (...payer: [string, string?]) =>
      (await limits.consume("invoke", ...payer))["RateLimit"];
    expect(await left("a", "w")).toBe('"invoke";r=1;t=60');
    expect(await left("b", "w")).toBe('"invoke";r=1;t=60');
    expect(await left("c", "w")).toBe('"invoke";r=1;t=60');
    expect(await left("d", "w")).toBe('"invoke";r=1;t=60, "invoke-workspace";r=0;t=60');
    await expect(left("d", "w")).rejects.toMatchObject({
      status: 429,
      set: {
        "RateLimit-Policy": '"invoke";q=2;w=60, "invoke-workspace";q=4;w=60',
        RateLimit: '"invoke";r=1;t=60, "invoke-workspace";r=0;t=60',
      },
    });
    await expect(left("e", "w")).rejects.toMatchObject({ status: 429 });
    expect(await left("e", "other")).toBe('"invoke";r=1;t=60');
    expect(await left("operator")).toBe('"invoke";r=1;t=60');
  });

  it("hold for keys alone if the factor is 0", async () => {
    const limits = create({ PARLEY_RATE_INVOKE_PER_MINUTE: 1, PARLEY_RATE_WORKSPACE_FACTOR: 0 });
    for (const key of ["a", "b", "c"]) {
      const left = await limits.consume("invoke", key, "w");
      expect(left["RateLimit"]).toBe('"invoke";r=0;t=60');
    }
  });

  it("hold for the tokens of a user under a key, within those of the key and unseen by the user", async () => {
    const limits = createRateLimits(
      ApiSettings.parse({ PARLEY_RATE_INVOKE_PER_MINUTE: 4, PARLEY_RATE_USER_DIVISOR: 2 }),
    );
    const left = async (keyId: string, userId?: string) => {
      let set: Record<string, string> = {};
      await limits.consume("invoke", { keyId, userId, workspaceId: "w" }, (headers) => {
        set = headers;
      });
      return set["RateLimit"];
    };
    expect(await left("key", "ada")).toBe('"invoke-user";r=1;t=60');
    expect(await left("key", "ada")).toBe('"invoke-user";r=0;t=60');
    await expect(left("key", "ada")).rejects.toMatchObject({ type: "rate_limit_error" });
    // What a refused call took is nobody else's loss; another key has a count of its own.
    expect(await left("other", "ada")).toBe('"invoke-user";r=1;t=60');
    expect(await left("key", "bob")).toBe('"invoke-user";r=1;t=60');
    expect(await left("key")).toBe('"invoke";r=0;t=60');
    await expect(left("key", "bob")).rejects.toMatchObject({ type: "rate_limit_error" });
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
