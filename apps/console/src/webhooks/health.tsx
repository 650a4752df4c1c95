import { StatusBadge } from "../ui/badge.tsx";
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
        <StatusBadge status="off" tone={disabledFor === "request" ? undefined : "bad"} />{" "}
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
