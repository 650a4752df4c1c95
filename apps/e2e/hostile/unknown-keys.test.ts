import { createRpcClient } from "parley-client";
import { generateApiKey } from "@parley/core";
import { tapPostgres } from "@parley/core/testing-traffic";
import { expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { createPlace, openHostedServer } from "../server.ts";

const FLOOD = 1200;
const AT_ONCE = 40;
const VALID_KEYS = 5;
const LIMIT = 20;

test(
  "a flood of unknown keys takes few statements, and keys that are not cached are accepted from its address",
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace();
    await using tap = await tapPostgres(place.databaseUrl!);
    await using server = await openHostedServer(place, {
      DATABASE_URL: tap.url,
      PARLEY_RATE_FAILED_AUTH_PER_MINUTE: String(LIMIT),
    });
    const { url, demo } = server;
    const operator = createRpcClient({ url, apiKey: demo.operatorKey });
    const wId = demo.workspaceId;
    const created = await Promise.all(
      Array.from({ length: VALID_KEYS }, (_, index) =>
        operator.apiKeys.create.mutate({ wId, name: `new${index}`, role: "user" }),
      ),
    );
    const { skills: path } = pathsOf(server);
    const statuses = async (keys: readonly string[]): Promise<number[]> => {
      const left = [...keys];
      const found: number[] = [];
      const ask = async (): Promise<void> => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
          found.push((await send(server, { path, key })).status);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
      return found;
    };
    const unknown = (count: number) => Array.from({ length: count }, generateApiKey);

    // The address uses its failures up.
    expect(await statuses(unknown(LIMIT + AT_ONCE))).toContain(429);
    tap.clear();
    const flood = statuses(unknown(FLOOD));
    const valid: number[] = [];
    for (const { secret } of created)
      valid.push((await send(server, { path, key: secret })).status);
    expect(valid).toEqual(created.map(() => 200));
    expect(new Set(await flood)).toEqual(new Set([429]));
    const statements = tap.counts.values().reduce((sum, count) => sum + count, 0);
    expect(tap.counts.get("find_stored_hashes")).toBeGreaterThan(0);
    // It was one for each unknown key.
    expect(statements).toBeLessThan(FLOOD / 2);
  },
);
