import { type Finding, ok } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** Redis, where a setting names one. */
export async function checkRedis({ settings }: Surroundings): Promise<readonly Finding[]> {
  const { REDIS_URL: url } = settings;
  if (url === undefined) return [];
  const { requireRedis } = await import("../server/require-redis.ts");
  await requireRedis(url);
  return [ok("redis", `${new URL(url).host} answers`)];
}
