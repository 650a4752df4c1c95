import { useQuery } from "@tanstack/react-query";
import type { Output } from "parley-client";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";

/** A call that waits for a person: for an approval, an answer, or to be let in. */
export type WaitingCall = Output<"actions.listBlocked">["blockedActions"][number];

interface WaitingOptions {
  /** Where the page of the list begins; its beginning by default. */
  readonly after?: string | undefined;
  /** How often it is read again while the page is visible. */
  readonly everyMs: number;
}

/** Reads what waits in all conversations, the oldest first, and again and again while the page is visible. */
export function useWaiting({ after, everyMs }: WaitingOptions) {
  const wId = useWorkspaceId();
  const reading = { refetchInterval: everyMs, refetchOnWindowFocus: "always" } as const;
  return useQuery(trpc.actions.listBlocked.queryOptions({ wId, lastValue: after }, reading));
}

/** How often pages other than the inbox look whether something waits. */
export const ELSEWHERE_MS = 10_000;
