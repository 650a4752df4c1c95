import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Badge } from "../ui/badge.tsx";
import { useToast } from "../ui/toast.tsx";
import { ELSEWHERE_MS, useWaiting } from "./use-waiting.ts";

/** Announces a new waiting call, unless its conversation is shown. */
export function WaitingNews() {
  const { data } = useWaiting({ everyMs: ELSEWHERE_MS });
  const { pathname } = useLocation();
  const say = useToast();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const { blockedActions } = data;
    const before = known.current;
    known.current = new Set(blockedActions.map(({ actionId }) => actionId));
    // Calls that waited when the page was opened are not news.
    if (before === undefined) return;
    const added = blockedActions.filter(
      ({ actionId, conversationId }) =>
        !before.has(actionId) && !pathname.endsWith(`/${conversationId}`),
    );
    const [first] = added;
    if (first === undefined) return;
    say(
      added.length === 1
        ? `${first.metadata.agentName} is waiting for you: ${first.metadata.toolName}`
        : `${added.length} more calls are waiting for you`,
    );
  }, [data, pathname, say]);
  return null;
}

/** The number of waiting calls; nothing if there are none. */
export function WaitingCount() {
  const { data } = useWaiting({ everyMs: ELSEWHERE_MS });
  if (data === undefined || data.blockedActions.length === 0) return null;
  return (
    <Badge tone="warn">
      {data.blockedActions.length}
      {data.hasMore && "+"}
      <span className="sr-only"> pending</span>
    </Badge>
  );
}
