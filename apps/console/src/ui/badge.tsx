import type { ReactNode } from "react";
import { join } from "./join.ts";

export type Tone = "neutral" | "good" | "bad" | "warn" | "accent";

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

const toneOfStatus: Readonly<Record<string, Tone>> = {
  active: "good",
  archived: "neutral",
  blocked: "warn",
  cancelled: "neutral",
  created: "accent",
  denied: "warn",
  disabled: "warn",
  errored: "bad",
  failed: "bad",
  running: "accent",
  succeeded: "good",
  suggested: "warn",
  suspended: "warn",
};

const wordOfStatus: Readonly<Record<string, string>> = {
  blocked_authentication_required: "needs access",
  blocked_client_output_required: "needs its application",
  blocked_user_answer_required: "needs an answer",
  blocked_validation_required: "needs approval",
  created: "running",
  waiting: "queued",
};

/** The status of an answer, a call, an invocation, a skill, an agent, a key or a workspace. */
export function StatusBadge({ status }: { readonly status: string }) {
  const tone = status.startsWith("blocked_") ? "warn" : toneOfStatus[status];
  return <Badge tone={tone ?? "neutral"}>{wordOfStatus[status] ?? status}</Badge>;
}
