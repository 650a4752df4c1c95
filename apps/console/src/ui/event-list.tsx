import { memo, useState } from "react";
import { Button } from "./button.tsx";
import { JsonBlock } from "./code-block.tsx";
import { Time } from "./time.tsx";
import type { NumberedEvent } from "./use-events.ts";

interface Shown {
  readonly type: string;
  readonly created?: number;
}

interface EventListProps {
  readonly label: string;
  readonly events: readonly NumberedEvent<Shown>[];
}

/** Events that are shown at first, and that each click adds. */
const PAGE = 200;

/** Events of a stream by their numbers, each with its JSON. */
export function EventList({ label, events }: EventListProps) {
  const [shown, setShown] = useState(PAGE);
  if (events.length === 0) return <p className="text-muted">No events yet.</p>;
  return (
    <div className="grid gap-3">
      <ol aria-label={label} className="rounded-lg border border-line">
        {events.slice(0, shown).map((one, index) => (
          // A finished log repeats its last event with the same number.
          <EventRow key={`${one.number} ${index}`} numbered={one} />
        ))}
      </ol>
      {events.length > shown && (
        <Button className="justify-self-start" onClick={() => setShown(shown + PAGE)}>
          Show {Math.min(PAGE, events.length - shown)} more of {events.length}
        </Button>
      )}
    </div>
  );
}

const EventRow = memo(function EventRow({ numbered }: { readonly numbered: NumberedEvent<Shown> }) {
  const { number, event } = numbered;
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="border-t border-line first:border-t-0">
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary className="flex flex-wrap gap-x-3 px-3 py-1.5">
          <span className="min-w-8 text-muted">{number}</span>
          <code className="font-mono text-sm">{event.type}</code>
          {event.created !== undefined && (
            <span className="ml-auto text-sm text-muted">
              <Time at={event.created} isPrecise />
            </span>
          )}
        </summary>
        <div className="p-3">{isOpen && <JsonBlock value={event} label="Event" />}</div>
      </details>
    </li>
  );
});
