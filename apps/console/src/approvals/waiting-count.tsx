import { Badge } from "../ui/badge.tsx";
import { ELSEWHERE_MS, useWaiting } from "./use-waiting.ts";

/** How many calls wait for a person; nothing while there are none. */
export function WaitingCount() {
  const { data } = useWaiting({ everyMs: ELSEWHERE_MS });
  if (data === undefined || data.blockedActions.length === 0) return null;
  return (
    <Badge tone="warn">
      {data.blockedActions.length}
      {data.hasMore && "+"}
      <span className="sr-only"> waiting</span>
    </Badge>
  );
}
