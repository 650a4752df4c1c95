import { useMutation } from "@tanstack/react-query";
import { rpc } from "../api/clients.ts";
import { endSession, openSession } from "../api/session.ts";
import { currentPlace, freePlace, switchTo } from "../api/signed-in.ts";

/** How long the key for a visit is valid: as long as a session. */
const VISIT_MS = 12 * 60 * 60 * 1000;

/**
 * Signs an operator in to a workspace with a new admin key, beside the operator's session, to which the menu of the
 * account leads back; in its place, if the browser has as many sessions as it may.
 */
export function useOpenWorkspace() {
  return useMutation({
    mutationFn: async (wId: string) => {
      const expiresAt = Date.now() + VISIT_MS;
      const key = { wId, name: "console", role: "admin", expiresAt } as const;
      const { secret } = await rpc.apiKeys.create.mutate(key);
      const place = freePlace();
      if (place === undefined) await endSession();
      await openSession(secret, place ?? currentPlace);
      return place ?? currentPlace;
    },
    onSuccess: (place) => switchTo(place),
  });
}
