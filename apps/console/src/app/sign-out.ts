import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type AnyRouter, useRouter } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";
import { currentPlace } from "../api/signed-in.ts";

/** Tabs of one browser share a session: the tab that ends it tells the others, with its number. */
const tabs = new BroadcastChannel("parley-session");

/** Returns a function that clears the session in every tab of this browser and shows the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
    tabs.postMessage(currentPlace);
    await showSignIn(router, queryClient);
  };
}

/** Shows the sign-in page once another tab has ended the session. */
export function followOtherTabs(router: AnyRouter, queryClient: QueryClient): void {
  tabs.addEventListener("message", ({ data }) => {
    if (data === currentPlace) void showSignIn(router, queryClient);
  });
}

async function showSignIn(router: AnyRouter, queryClient: QueryClient): Promise<void> {
  queryClient.setQueryData(sessionQuery.queryKey, null);
  await router.navigate({ to: "/sign-in", search: {} });
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
}
