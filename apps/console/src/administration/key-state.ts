import type { Output } from "parley-client";

export type ApiKey = Output<"apiKeys.list">["apiKeys"][number];

/** The state of a key at a moment. */
export function stateOfKey(
  key: Pick<ApiKey, "expiresAt" | "revokedAt"> & Partial<Pick<ApiKey, "disabledAt">>,
  now: number,
): "active" | "disabled" | "expired" | "revoked" {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return (key.disabledAt ?? null) === null ? "active" : "disabled";
}
