import { Badge } from "../ui/badge.tsx";
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
        <Badge tone={disabledFor === "request" ? "neutral" : "bad"}>off</Badge>{" "}
        <span className="text-sm text-muted">{reasons[disabledFor]}</span>
      </span>
    );
  }
  if (failingSince === null) return <Badge tone="good">on</Badge>;
  return (
    <span>
      <Badge tone="warn">failing</Badge>{" "}
      <span className="text-sm text-muted">
        since <Time at={failingSince} isAbsolute />
      </span>
    </span>
  );
}
