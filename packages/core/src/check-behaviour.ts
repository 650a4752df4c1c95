import { type Issue, type SimulatedBehaviour, splitTemplate } from "@parley/schema";
import jsonata from "jsonata";

/**
 * What is wrong with the expressions of a behaviour: of its result and of its templates. It is
 * checked before it is stored, so that a run does not end as `threw` for a typing error.
 */
export function checkBehaviour(behaviour: SimulatedBehaviour): Issue[] {
  if (behaviour.type === "recorded") return [];
  const { steps, result, errors = [], error } = behaviour;
  const templates: [string, string | undefined][] = [
    ...steps.flatMap(({ log, progress }, index): [string, string | undefined][] => [
      [`steps[${index}].log.text`, log?.text],
      [`steps[${index}].progress.label`, progress?.label],
    ]),
    ...errors.map(({ message }, index): [string, string] => [`errors[${index}].message`, message]),
    ["error.message", error?.message],
  ];
  return [
    ...(result === undefined ? [] : checkExpression("result", result)),
    ...templates.flatMap(([path, template]) =>
      splitTemplate(template ?? "").flatMap((piece) =>
        "text" in piece ? [] : checkExpression(path, piece.expression),
      ),
    ),
  ];
}

function checkExpression(path: string, expression: string): Issue[] {
  try {
    jsonata(expression);
    return [];
  } catch (cause) {
    // JSONata throws objects that are no errors; too deep a nesting is a RangeError.
    const { message, position } = cause as { message?: string; position?: number };
    const where = position === undefined ? "" : ` at character ${position}`;
    return [
      { path, message: `must be a JSONata expression: ${message ?? "unknown fault"}${where}` },
    ];
  }
}
