import { findPlanFault } from "@parley/core";
import {
  type RecordedBehaviour,
  type Recording,
  type ScriptedBehaviour,
  type SimulatedBehaviour,
  splitTemplate,
  type TemplatePiece,
} from "@parley/schema";
import type { Evaluator } from "./evaluator.ts";

export interface PreparedScript {
  readonly type: "scripted";
  readonly behaviour: ScriptedBehaviour;
  /** Why no run can play it; only for behaviours from before this was checked. */
  readonly fault: string | undefined;
  /** The pieces of a template. */
  readonly template: (text: string) => readonly TemplatePiece[];
}

export interface PreparedRecordings {
  readonly type: "recorded";
  readonly behaviour: RecordedBehaviour;
  /** By the fingerprint of the input. */
  readonly byInput: ReadonlyMap<string, readonly Recording[]>;
}

export type PreparedBehaviour = PreparedScript | PreparedRecordings;

/** Prepares what all runs of a version of a function share. */
export async function prepareBehaviour(
  behaviour: SimulatedBehaviour,
  evaluator: Pick<Evaluator, "fingerprint">,
): Promise<PreparedBehaviour> {
  if (behaviour.type === "recorded") {
    const inputs = behaviour.recordings.map(({ input }) => JSON.stringify(input ?? null));
    const fingerprints = (await evaluator.fingerprint(inputs)).values();
    const byInput = Map.groupBy(behaviour.recordings, () => fingerprints.next().value ?? "");
    return { type: "recorded", behaviour, byInput };
  }
  // One entry for each text of the behaviour.
  const templates = new Map<string, readonly TemplatePiece[]>();
  return {
    type: "scripted",
    behaviour,
    fault: findPlanFault(behaviour),
    template: (text) => {
      const pieces = templates.get(text) ?? splitTemplate(text);
      templates.set(text, pieces);
      return pieces;
    },
  };
}
