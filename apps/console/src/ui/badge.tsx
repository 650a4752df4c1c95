import type { ReactNode } from "react";
import { join } from "./join.ts";
import { stateOf, type Tone } from "./states.ts";

const tones: Record<Tone, string> = {
  neutral: "bg-surface text-muted border-line",
  good: "bg-good-soft text-good border-transparent",
  bad: "bg-bad-soft text-bad border-transparent",
  warn: "bg-warn-soft text-warn border-transparent",
  accent: "bg-accent-soft text-accent border-transparent",
};

/** A word about the state of something. */
export function Badge({
  tone = "neutral",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={join(
        "inline-flex items-center rounded-full border px-2 text-xs font-medium whitespace-nowrap leading-5",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

/** The state of anything, by the name that the server gives it; `tone` for one that this time means more or less. */
export function StatusBadge({
  status,
  tone,
}: {
  readonly status: string;
  readonly tone?: Tone | undefined;
}) {
  const state = stateOf(status);
  return <Badge tone={tone ?? state.tone}>{state.word}</Badge>;
}
