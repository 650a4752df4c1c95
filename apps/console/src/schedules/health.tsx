import { StatusBadge } from "../ui/badge.tsx";
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
        <StatusBadge status="paused" tone={pausedFor === "request" ? undefined : "bad"} />{" "}
        <span className="text-sm text-muted">
          {pausedFor === "key_revoked" && "the key that it acts for is no longer valid, "}
          {pausedAt !== null && <Time at={pausedAt} isAbsolute />}
        </span>
      </span>
    );
  }
  if (failingSince === null) return <StatusBadge status="active" />;
  return (
    <span>
      <StatusBadge status="failing" />{" "}
      <span className="text-sm text-muted">
        since <Time at={failingSince} isAbsolute />
      </span>
    </span>
  );
}
