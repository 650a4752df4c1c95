import { StatusBadge } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";
import { reasons, type Trigger } from "./states.ts";

/** Whether a trigger receives events, and since when they fail or why it does not. */
export function Health({
  disabledFor,
  failingSince,
}: Pick<Trigger, "disabledFor" | "failingSince">) {
  if (disabledFor !== null) {
    return (
      <span>
        <StatusBadge status="off" tone={disabledFor === "request" ? undefined : "bad"} />{" "}
        <span className="text-sm text-muted">{reasons[disabledFor]}</span>
      </span>
    );
  }
  if (failingSince === null) return <StatusBadge status="on" />;
  return (
    <span>
      <StatusBadge status="failing" />{" "}
      <span className="text-sm text-muted">
        since <Time at={failingSince} isAbsolute />
      </span>
    </span>
  );
}
