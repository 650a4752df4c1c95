import { CodeBlock, JsonBlock } from "../ui/code-block.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatDuration, Time } from "../ui/time.tsx";
import type { Delivery } from "./states.ts";

interface DeliveryDialogProps {
  readonly delivery: Delivery;
  readonly onClose: () => void;
}

/** A delivery with its attempts and the beginning of the last answer. */
export function DeliveryDialog({ delivery, onClose }: DeliveryDialogProps) {
  const { event, data, attempts, nextAttemptAt, responseBody } = delivery;
  return (
    <Dialog title={event} isOpen onOpenChange={onClose}>
      <JsonBlock value={data} label="What it is about" />
      <section aria-label="Attempts" className="grid gap-1">
        {attempts.length === 0 && <p className="text-muted">It was not sent yet.</p>}
        <ol>
          {attempts.map(({ at, durationMs, status, error }) => (
            <li key={at}>
              <Time at={at} isAbsolute />, {formatDuration(durationMs)}:{" "}
              {error ?? `It answered ${String(status)}`}
            </li>
          ))}
        </ol>
        {nextAttemptAt !== null && (
          <p>
            Next attempt: <Time at={nextAttemptAt} />
          </p>
        )}
      </section>
      {responseBody !== null && responseBody !== "" && (
        <section aria-label="Last answer" className="grid gap-1">
          <h3 className="font-medium">Last answer</h3>
          <CodeBlock label="Last answer">{responseBody}</CodeBlock>
        </section>
      )}
    </Dialog>
  );
}
