import { Time } from "../ui/time.tsx";

const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ZonedTimeProps {
  readonly at: number;
  readonly timezone: string;
}

/** A moment in the reader's time zone, and below it in the schedule's own if that is another. */
export function ZonedTime({ at, timezone }: ZonedTimeProps) {
  const shown = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: timezone,
  });
  return (
    <span>
      <Time at={at} isAbsolute />
      {timezone !== own && (
        <span className="block text-sm text-muted">
          {shown.format(at)} in {timezone}
        </span>
      )}
    </span>
  );
}
