import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";

/** A call that waits for a person: for approval, an answer or access. */
export type WaitingCall = Output<"actions.listBlocked">["blockedActions"][number];

interface WaitingOptions {
  /** Cursor of the page; the first page by default. */
  readonly after?: string | undefined;
  /** How often it is refreshed while the page is visible. */
  readonly everyMs: number;
}

/** Reads the waiting calls of all conversations, the oldest first, and refreshes them while the page is visible. */
export function useWaiting({ after, everyMs }: WaitingOptions) {
  const wId = useWorkspaceId();
  const reading = { refetchInterval: everyMs, refetchOnWindowFocus: "always" } as const;
  return useQuery(trpc.actions.listBlocked.queryOptions({ wId, lastValue: after }, reading));
}

/** How often pages other than the inbox check for waiting calls. */
export const ELSEWHERE_MS = 10_000;
