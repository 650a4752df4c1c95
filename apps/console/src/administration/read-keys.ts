import { queryOptions } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { rpc, trpc } from "../api/clients.ts";
import { pagesOf } from "../api/pages-of.ts";

export type ApiKey = Output<"apiKeys.list">["apiKeys"][number];
export type AdministeredSpace = Output<"spaces.listAll">["spaces"][number];

/** All spaces of the workspace, up to a thousand. */
export const allSpacesQuery = (wId: string) =>
  queryOptions({
    queryKey: [...trpc.spaces.listAll.pathKey(), "all", wId],
    queryFn: async ({ signal }): Promise<readonly AdministeredSpace[]> => {
      const pages = pagesOf((place) => rpc.spaces.listAll.query({ wId, ...place }, { signal }));
      return (await Array.fromAsync(pages)).flatMap(({ spaces }) => spaces);
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
