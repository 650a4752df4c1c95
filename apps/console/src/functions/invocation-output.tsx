import type { InvocationEvent, InvocationOutcome } from "parley-client";
import { CodeBlock, JsonBlock } from "../ui/code-block.tsx";
import type { NumberedEvent } from "../ui/use-events.ts";
import { outputOf } from "./output-of.ts";

interface InvocationOutputProps {
  readonly events: readonly NumberedEvent<InvocationEvent>[];
  /** The outcome as read; the events may carry it earlier. */
  readonly outcome: InvocationOutcome | undefined;
}

/** The log, progress and outcome of an invocation. */
export function InvocationOutput({ events, outcome: known }: InvocationOutputProps) {
  const { lines, progress, outcome = known } = outputOf(events);
  return (
    <>
      {progress !== undefined && outcome === undefined && (
        <p className="grid gap-1">
          <label htmlFor="progress">{progress.label}</label>
          <progress
            id="progress"
            className="progress-parley"
            max={progress.total}
            value={progress.done}
          />
        </p>
      )}
      {outcome?.status === "succeeded" && (
        <section aria-label="Outcome" className="grid gap-2">
          <h2 className="font-semibold">Result</h2>
          <JsonBlock label="Result" value={outcome.result} />
        </section>
      )}
      {outcome?.status === "errored" && (
        <section aria-label="Outcome" className="grid gap-2">
          <h2 className="font-semibold">Error</h2>
          <p role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3">
            {outcome.error.message}{" "}
            <code className="font-mono text-sm">({outcome.error.code})</code>
          </p>
        </section>
      )}
      {lines.length > 0 && (
        <section className="grid gap-2">
          <h2 className="font-semibold">Log</h2>
          <CodeBlock label="Log">{lines.join("")}</CodeBlock>
        </section>
      )}
    </>
  );
}
