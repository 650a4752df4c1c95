import { queryOptions } from "@tanstack/react-query";
import type { Output } from "parley-client";
import type { Clients } from "../api/clients.ts";

export type ApiKey = Output<"apiKeys.list">["apiKeys"][number];
export type AdministeredSpace = Output<"spaces.listAll">["spaces"][number];

/** The keys of the workspace, the revoked ones too. */
export const keysQuery = ({ rpc, workspaceId: wId }: Clients) =>
  queryOptions({
    queryKey: ["keys", wId],
    queryFn: async ({ signal }) => (await rpc.apiKeys.list.query({ wId }, { signal })).apiKeys,
  });

/** Spaces that forms offer. */
const MAX_SPACES = 1000;

/** All spaces of the workspace, up to a thousand. */
export const allSpacesQuery = ({ rpc, workspaceId: wId }: Clients) =>
  queryOptions({
    queryKey: ["spaces", wId, "all"],
    queryFn: async ({ signal }) => {
      const spaces: AdministeredSpace[] = [];
      let lastValue: string | undefined;
      do {
        const input = { wId, limit: 100, ...(lastValue !== undefined && { lastValue }) };
        const page = await rpc.spaces.listAll.query(input, { signal });
        spaces.push(...page.spaces);
        lastValue = page.hasMore ? (page.lastValue ?? undefined) : undefined;
      } while (lastValue !== undefined && spaces.length < MAX_SPACES);
      return spaces;
    },
  });

/** What a key is at a moment. */
export function stateOfKey(
  key: Pick<ApiKey, "expiresAt" | "revokedAt"> & Partial<Pick<ApiKey, "disabledAt">>,
  now: number,
): "active" | "disabled" | "expired" | "revoked" {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt !== null && key.expiresAt <= now) return "expired";
  return (key.disabledAt ?? null) === null ? "active" : "disabled";
}
