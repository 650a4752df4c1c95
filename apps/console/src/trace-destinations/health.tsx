import type { Output } from "parley-client";
import { Badge } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";

export type TraceDestination = Output<"traceDestinations.get">["traceDestination"];

/** Whether a destination is sent traces, since when it fails, and what its last attempt was answered. */
export function Health({ isEnabled, failingSince, lastAttempt, exporting }: TraceDestination) {
  return (
    <span>
      <State isEnabled={isEnabled} failingSince={failingSince} />
      {lastAttempt !== null && (
        <span className="block text-sm text-muted">
          {lastAttempt.isTest ? "Sample: " : "Last request: "}
          {lastAttempt.error ?? "accepted"}, <Time at={lastAttempt.at} />
        </span>
      )}
      {exporting !== null && (
        <span className="block text-sm text-muted">Sending a past period again</span>
      )}
    </span>
  );
}

function State({ isEnabled, failingSince }: Pick<TraceDestination, "isEnabled" | "failingSince">) {
  if (!isEnabled) return <Badge tone="neutral">off</Badge>;
  if (failingSince === null) return <Badge tone="good">on</Badge>;
  return (
    <>
      <Badge tone="warn">failing</Badge>{" "}
      <span className="text-sm text-muted">
        since <Time at={failingSince} isAbsolute />
      </span>
    </>
  );
}
