import type { Action, AgentMessage } from "parley-client";

/** One step of an answer: its text, and then its calls. */
export interface AnswerPart {
  readonly step: number;
  readonly text: string;
  readonly actions: readonly Action[];
}

type Parted = Pick<AgentMessage, "content" | "rawContents" | "actions">;

/** The steps of an answer, in order. Without texts per step, the whole text is in the first. */
export function partsOf({ content, rawContents, actions }: Parted): AnswerPart[] {
  const texts = rawContents.length === 0 ? [{ step: 0, content }] : rawContents;
  const steps = [...new Set([...texts, ...actions].map(({ step }) => step))];
  return steps
    .toSorted((a, b) => a - b)
    .map((step) => ({
      step,
      text: texts.find((one) => one.step === step)?.content ?? "",
      actions: actions.filter((one) => one.step === step),
    }));
}
