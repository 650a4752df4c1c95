import { Badge } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";
import { reasons, type Webhook } from "./states.ts";

/** Whether a webhook is told of events, and since when or why it is not. */
export function Health({
  disabledFor,
  disabledAt,
  failingSince,
}: Pick<Webhook, "disabledFor" | "disabledAt" | "failingSince">) {
  if (disabledFor !== null) {
    return (
      <span>
        <Badge tone={disabledFor === "request" ? "neutral" : "bad"}>off</Badge>{" "}
        <span className="text-sm text-muted">
          {reasons[disabledFor]}
          {disabledAt !== null && (
            <>
              , <Time at={disabledAt} isAbsolute />
            </>
          )}
        </span>
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
