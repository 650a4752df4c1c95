import type { AgentMessage } from "parley-client";
import { StatusBadge } from "../ui/badge.tsx";
import { formatDuration } from "../ui/time.tsx";
import { spansOf } from "./call-spans.ts";

/** The calls of an answer, each as a bar from start to end. */
export function CallTimeline({ message }: { readonly message: AgentMessage }) {
  return (
    <ol aria-label="Calls" className="grid gap-1">
      {spansOf(message).map(({ action, startShare, lengthShare, durationMs }) => (
        <li
          key={action.sId}
          className="grid items-center gap-x-3 text-sm sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)_5rem]"
        >
          <span className="flex flex-wrap gap-2">
            <span className="text-muted">Step {action.step + 1}</span>
            <code className="font-mono">{action.toolName || action.functionCallName}</code>
            {action.status !== "succeeded" && <StatusBadge status={action.status} />}
          </span>
          <svg
            aria-hidden="true"
            className="h-3 w-full rounded bg-surface"
            preserveAspectRatio="none"
            viewBox="0 0 100 10"
          >
            <rect
              className="fill-accent"
              x={startShare * 100}
              width={Math.max(0.5, lengthShare * 100)}
              height="10"
            />
          </svg>
          <span className="sm:text-right">{formatDuration(durationMs)}</span>
        </li>
      ))}
    </ol>
  );
}
