import {
  describeCut,
  describeCutParams,
  type HistoryMessage,
  skillsLoadedBy,
  type StepRequest,
} from "@parley/agent";
import { type HistoryRow, textOfOutput, type Turn } from "@parley/core";
import type { ModelPair } from "@parley/schema";

type Called = NonNullable<HistoryRow["called"]>;

/** A message of the history for the prompt; an answer with its calls, if `givesCalls`. */
export function toHistory(
  row: HistoryRow,
  { model, givesCalls }: { readonly model: ModelPair; readonly givesCalls: boolean },
): HistoryMessage {
  const { type, content, rank, called } = row;
  const { title, contentType } = row.fragment ?? {};
  const shown = { type, content, title, contentType, givesCalls };
  if (called === null || !givesCalls) return shown;
  return { ...shown, called: toSteps(called, { rank, model }) };
}

/** Names of the skills that an earlier answer has loaded, in order. */
export function loadedSkills({ called }: HistoryRow): string[] {
  return skillsLoadedBy(
    (called?.calls ?? []).map(({ name, params, cutOutput, output }) => {
      return { name, params: params ?? {}, isError: output === null && cutOutput === null };
    }),
  );
}

/** The id of the answer at a position of which a turn's prompt may have results: an earlier one, or its own. */
export function answerAt(
  {
    message,
    history,
  }: { message: Pick<Turn["message"], "rank" | "sid">; history: Turn["history"] },
  rank: number,
): string | undefined {
  if (rank === message.rank) return message.sid;
  return history.find((row) => row.rank === rank && row.called !== null)?.sid;
}

/** The calls of an answer that a later prompt has: those before the first step in which one has not ended. */
export function closedCalls({ calls }: Called): Called["calls"] {
  const openFrom = Math.min(...calls.flatMap(({ isOpen, step }) => (isOpen ? step : [])), Infinity);
  return calls.filter(({ step }) => step < openFrom);
}

/**
 * The steps of an earlier answer. A step whose calls have not all ended has its text only, and so has what
 * comes after it. A step gets its replay back from the model that gave it.
 */
function toSteps(
  answer: Called,
  { rank, model }: { readonly rank: number; readonly model: ModelPair },
): Pick<StepRequest, "finishedSteps" | "finishedCalls"> {
  const { contents, replays } = answer;
  const closed = closedCalls(answer);
  const texts = new Map(contents?.map(({ step, content }) => [step, content]));
  const changed = new Set(closed.flatMap(({ cutParams, step }) => (cutParams ? step : [])));
  const replayOf = (step: number) => {
    // It is signed for the call as it was.
    if (changed.has(step)) return undefined;
    const given = replays?.find((one) => one.step === step);
    const isSame =
      given?.model.providerId === model.providerId && given.model.modelId === model.modelId;
    return isSame ? given.replay : undefined;
  };
  // A step without text is not among the texts of a cancelled answer.
  const numbers = new Set([...texts.keys(), ...closed.map(({ step }) => step)]);
  const called = new Set(closed.map(({ step }) => step));
  return {
    finishedSteps: [...numbers]
      .toSorted((a, b) => a - b)
      .filter((step) => called.has(step) || texts.get(step)?.trim() !== "")
      .map((step) => {
        return { step, content: texts.get(step) ?? "", replay: replayOf(step) };
      }),
    finishedCalls: [...called].flatMap((step) =>
      closed
        .filter((call) => call.step === step)
        .map((call, position) => toCall(call, { rank, step, position })),
    ),
  };
}

function toCall(
  { id, name, params, cutParams, output, cutOutput }: Called["calls"][number],
  place: { readonly rank: number; readonly step: number; readonly position: number },
): StepRequest["finishedCalls"][number] {
  return {
    id,
    name,
    params: params ?? (cutParams === null ? {} : describeCutParams(cutParams)),
    output: cutOutput === null ? textOfOutput(output) : describeCut(cutOutput, place),
    step: place.step,
  };
}
