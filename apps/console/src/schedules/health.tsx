import { Badge } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";
import type { Schedule } from "./states.ts";

/** Whether a schedule fires, and since when or why it does not. */
export function Health({
  pausedFor,
  pausedAt,
  failingSince,
}: Pick<Schedule, "pausedFor" | "pausedAt" | "failingSince">) {
  if (pausedFor !== null) {
    return (
      <span>
        <Badge tone={pausedFor === "request" ? "neutral" : "bad"}>paused</Badge>{" "}
        <span className="text-sm text-muted">
          {pausedFor === "key_revoked" && "the key that it acts for is no longer valid, "}
          {pausedAt !== null && <Time at={pausedAt} isAbsolute />}
        </span>
      </span>
    );
  }
  if (failingSince === null) return <Badge tone="good">active</Badge>;
  return (
    <span>
      <Badge tone="warn">failing</Badge>{" "}
      <span className="text-sm text-muted">
        since <Time at={failingSince} isAbsolute />
      </span>
    </span>
  );
}
