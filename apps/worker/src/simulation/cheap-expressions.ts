import { LRUCache } from "lru-cache";
import { boundValue, type Evaluated } from "./bound-value.ts";
import type { CheapExpression } from "./cheap-expression.ts";
import type { Evaluation, EvaluationTask } from "./evaluation-thread.ts";
import { interpretExpression, UNSURE } from "./interpret-expression.ts";

/** Characters of the JSON of inputs that are read on the event loop: reading the worst takes half of the time. */
const MAX_INPUT_CHARACTERS = 2048;
/** Steps of all expressions of a task: up to 100 ns each. */
const MAX_STEPS = 500;
const MAX_EXPRESSION_CHARACTERS = 1000;
const MAX_KNOWN = 1000;

/** The expressions of a process that threads have found to be cheap. */
export interface CheapExpressions {
  /** The expressions that no thread has been asked about. */
  unread(evaluations: readonly Evaluation[]): string[];
  /** Notes the forms of expressions as a thread has read them. */
  learn(expressions: readonly string[], forms: readonly (CheapExpression | undefined)[]): void;
  /** What a thread would give for a task, within 0.2 ms; undefined if a thread must say. */
  evaluate(task: Omit<EvaluationTask, "unread" | "seed" | "timeoutMs">): Evaluated[] | undefined;
}

/** Creates the list of a process, which knows the expressions that were used last. */
export function createCheapExpressions(): CheapExpressions {
  const known = new LRUCache<string, { readonly form: CheapExpression | undefined }>({
    max: MAX_KNOWN,
  });
  return {
    unread: (evaluations) => {
      const short = evaluations
        .map(({ expression }) => expression)
        .filter(({ length }) => length <= MAX_EXPRESSION_CHARACTERS);
      return [...new Set(short)].filter((expression) => !known.has(expression));
    },
    learn: (expressions, forms) => {
      for (const [index, expression] of expressions.entries()) {
        known.set(expression, { form: forms[index] });
      }
    },
    evaluate: ({ input: json, evaluations, ...bounds }) => {
      if (json.length > MAX_INPUT_CHARACTERS) return undefined;
      const forms = evaluations.map(({ expression }) => known.get(expression)?.form);
      if (forms.includes(undefined)) return undefined;
      const input: unknown = JSON.parse(json);
      const left = { steps: MAX_STEPS };
      const results: Evaluated[] = [];
      for (const [index, { variables, isShown }] of evaluations.entries()) {
        const value = interpretExpression(forms[index]!, { input, variables }, left);
        if (value === UNSURE) return undefined;
        results.push(boundValue(JSON.stringify(value ?? null), isShown, bounds));
      }
      return results;
    },
  };
}
