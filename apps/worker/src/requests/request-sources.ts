import type { StepRequest } from "@parley/agent";
import { type ClaimedRun, type SourceText, textOfOutput, type Turn } from "@parley/core";

/** The texts of a turn that rows hold, and that its requests may have: what is sent of them is not stored again. */
export function sourcesOf(
  { run, turn }: { readonly run: Pick<ClaimedRun, "logId">; readonly turn: Turn },
  { finishedSteps, finishedCalls }: Pick<StepRequest, "finishedSteps" | "finishedCalls">,
): SourceText[] {
  const { agent, summary, history } = turn;
  const answer = run.logId;
  return [
    ...(agent.instructions === null
      ? []
      : [{ text: agent.instructions, reference: { instructions: agent.id } }]),
    ...(summary === null ? [] : [{ text: summary.text, reference: { summary: summary.number } }]),
    ...history.flatMap(({ sid, content, called }): SourceText[] => [
      { text: content, reference: { message: sid } },
      ...(called?.contents ?? []).map(({ step, content: text }) => {
        return { text, reference: { answer: sid, step } };
      }),
      ...(called?.calls ?? []).flatMap(({ id: call, step, output }) =>
        output === null
          ? []
          : { text: textOfOutput(output), reference: { answer: sid, step, call } },
      ),
    ]),
    ...finishedSteps.map(({ step, content: text }) => ({ text, reference: { answer, step } })),
    ...finishedCalls.map(({ id: call, step, output: text }) => {
      return { text, reference: { answer, step, call } };
    }),
  ];
}
