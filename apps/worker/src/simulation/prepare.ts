import type jsonata from "jsonata";
import {
  type RecordedBehaviour,
  type Recording,
  type ScriptedBehaviour,
  type SimulatedBehaviour,
  splitTemplate,
} from "@parley/schema";
import { describeFailure, type Evaluated, parseExpression } from "./evaluate.ts";
import { countCheapNodes } from "./is-cheap.ts";
import { canonicalJson } from "./randomness.ts";

/** How long the expressions of a run may take in all. */
export const EVALUATION_TIMEOUT_MS = 1000;

/** An expression as it is evaluated; one that cannot be parsed fails whenever it is. */
export interface PreparedExpression {
  readonly expression: string;
  readonly parsed: jsonata.Expression | Evaluated;
  /** See `countCheapNodes`. */
  readonly cheapNodes: number;
}

/** A template in its pieces. */
export type PreparedTemplate = readonly (string | PreparedExpression)[];

export type PreparedBehaviour =
  | {
      readonly type: "scripted";
      readonly behaviour: ScriptedBehaviour;
      readonly result: PreparedExpression | undefined;
      readonly template: (text: string) => PreparedTemplate;
    }
  | {
      readonly type: "recorded";
      readonly behaviour: RecordedBehaviour;
      /** By the canonical JSON of the input. */
      readonly byInput: ReadonlyMap<string, readonly Recording[]>;
    };

/** Does once per version of a function what its runs have in common. */
export function prepareBehaviour(behaviour: SimulatedBehaviour): PreparedBehaviour {
  if (behaviour.type === "recorded") {
    const byInput = Map.groupBy(behaviour.recordings, ({ input }) => canonicalJson(input ?? null));
    return { type: "recorded", behaviour, byInput };
  }
  // As many as the behaviour has texts.
  const templates = new Map<string, PreparedTemplate>();
  return {
    type: "scripted",
    behaviour,
    result: behaviour.result === undefined ? undefined : prepareExpression(behaviour.result),
    template: (text) => {
      const found = templates.get(text);
      if (found !== undefined) return found;
      const prepared = splitTemplate(text).map((piece) =>
        "text" in piece ? piece.text : prepareExpression(piece.expression),
      );
      templates.set(text, prepared);
      return prepared;
    },
  };
}

function prepareExpression(expression: string): PreparedExpression {
  try {
    const parsed = parseExpression(expression, EVALUATION_TIMEOUT_MS);
    return { expression, parsed, cheapNodes: countCheapNodes(parsed) };
  } catch (cause) {
    return { expression, parsed: describeFailure(cause), cheapNodes: 0 };
  }
}
