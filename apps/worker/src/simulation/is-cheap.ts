import type jsonata from "jsonata";

/**
 * Times their count of nodes with the size of the input, what cheap expressions may come to; a
 * node of an expression visits a character of the input at most once, in less than a microsecond.
 */
const MAX_COST = 50_000;

const operators = new Set([
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "and",
  "or",
  "in",
]);
const functions = new Set(
  "sum count max min average string length uppercase lowercase number floor ceil round abs not boolean exists join".split(
    " ",
  ),
);

/** The input itself, and variables that are small. */
const scalars = new Set(["", "index", "timezone"]);

/** A parsed expression, as far as it is looked into. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly steps?: readonly Node[];
  readonly stages?: readonly (Node & { readonly expr?: Node })[];
  /** Two operands, or the pairs of an object. */
  readonly lhs?: Node | readonly (readonly Node[])[];
  readonly rhs?: Node;
  readonly condition?: Node;
  readonly then?: Node;
  readonly else?: Node;
  readonly procedure?: Node;
  readonly arguments?: readonly Node[];
  readonly expressions?: readonly Node[];
  readonly expression?: Node;
}

/**
 * The number of nodes of an expression whose cost is at most that number times the size of its
 * input; infinite if it may cost more. Paths lead from each value to its own parts only, and
 * nothing is bound, called again or made in a step that another one follows.
 */
export function countCheapNodes(expression: jsonata.Expression): number {
  // The library types its nodes loosely.
  return countNodes(expression.ast() as unknown as Node);
}

/** Whether such an expression can be evaluated over the input where others wait for it. */
export function isCheap(cheapNodes: number, input: string): boolean {
  return cheapNodes * (input.length + 1) <= MAX_COST;
}

function countNodes(node: Node): number {
  const looked = lookInto(node);
  if (looked === undefined) return Infinity;
  const { members, parts } = looked;
  // A member that is not known here may mean anything: order, groups, bindings.
  const known = new Set(["position", "type", "value", ...members]);
  const isUnknown = Object.entries(node).some(
    ([member, value]) => value !== undefined && !known.has(member),
  );
  return isUnknown ? Infinity : parts.reduce((sum, part) => sum + countNodes(part), 1);
}

interface Looked {
  /** The members that were looked at. */
  readonly members: readonly (keyof Node | "keepArray" | "keepSingletonArray" | "consarray")[];
  readonly parts: readonly Node[];
}

function lookInto(node: Node): Looked | undefined {
  switch (node.type) {
    case "string":
    case "number":
    case "value":
      return { members: [], parts: [] };
    case "variable":
      return scalars.has(String(node.value)) ? { members: [], parts: [] } : undefined;
    case "name":
      return lookAt(["stages", "keepArray"], filtersOf(node.stages));
    case "path":
      return lookAt(["steps", "keepArray", "keepSingletonArray"], pathParts(node.steps ?? []));
    case "binary":
      if (!operators.has(String(node.value))) return undefined;
      return lookAt(["lhs", "rhs"], [node.lhs ?? [], node.rhs ?? []].flat(2));
    case "condition":
      return lookAt(
        ["condition", "then", "else"],
        [node.condition ?? [], node.then ?? [], node.else ?? []].flat(),
      );
    case "function":
      if (!functions.has(String(node.procedure?.value))) return undefined;
      return lookAt(["procedure", "arguments"], node.arguments);
    case "unary":
      return lookIntoUnary(node);
    default:
      return undefined;
  }
}

function lookIntoUnary(node: Node): Looked | undefined {
  if (node.value === "{") return lookAt(["lhs"], [node.lhs ?? []].flat(2));
  if (node.value === "[") return lookAt(["expressions", "consarray"], node.expressions);
  return node.value === "-" ? lookAt(["expression"], [node.expression ?? []].flat()) : undefined;
}

function lookAt(
  members: Looked["members"],
  parts: Looked["parts"] | undefined,
): Looked | undefined {
  return parts === undefined ? undefined : { members, parts };
}

function filtersOf(stages: Node["stages"] = []): readonly Node[] | undefined {
  const filters = stages.map((stage) => (stage.type === "filter" ? stage.expr : undefined));
  return filters.every((filter) => filter !== undefined) ? filters : undefined;
}

function pathParts(steps: readonly Node[]): readonly Node[] | undefined {
  const isPlain = steps.every(
    ({ type, value }, index) =>
      type === "name" ||
      (index === 0 && type === "variable" && value === "") ||
      (index === steps.length - 1 && type === "unary" && value === "{"),
  );
  return isPlain ? steps : undefined;
}
