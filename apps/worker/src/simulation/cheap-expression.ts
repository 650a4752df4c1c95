// Which expressions are provably cheap: decided by their form alone. Used in threads: it imports no package of the
// workspace.

export type Scalar = string | number | boolean | null;

/** An expression of the allowlist, which gives a scalar or an object of its own. */
export type CheapExpression =
  | { readonly type: "literal"; readonly value: Scalar }
  | { readonly type: "path"; readonly names: readonly string[] }
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "negative"; readonly of: CheapExpression }
  | {
      readonly type: "binary";
      readonly operator: string;
      readonly left: CheapExpression;
      readonly right: CheapExpression;
    }
  | { readonly type: "object"; readonly members: readonly (readonly [string, CheapExpression])[] };

/** Nodes of an expression, names of paths included. */
const MAX_NODES = 100;
const operators: ReadonlySet<unknown> = new Set("+ - * / % = != < <= > >= &".split(" "));
/** Names by which JSONata knows functions: it refuses them as members. */
const reserved: ReadonlySet<string> = new Set(["_jsonata_lambda", "_jsonata_function"]);

type Node = Readonly<Record<string, unknown>>;

/** The form of an expression that JSONata has parsed; undefined if it is not cheap, or not known to be. */
export function readCheapExpression(parsed: unknown): CheapExpression | undefined {
  return read(parsed, { nodes: MAX_NODES });
}

function read(node: unknown, left: { nodes: number }): CheapExpression | undefined {
  if (!isNode(node) || --left.nodes < 0) return undefined;
  switch (node.type) {
    case "string":
    case "number":
    case "value":
      return has(node, "value") ? { type: "literal", value: node.value as Scalar } : undefined;
    case "variable":
      // Those without a name are the input.
      if (!has(node, "value") || node.value === "" || node.value === "$") return undefined;
      return { type: "variable", name: String(node.value) };
    case "path":
      return has(node, "steps") ? readPath(node.steps as readonly Node[], left) : undefined;
    case "binary":
      return has(node, "value", "lhs", "rhs") ? readBinary(node, left) : undefined;
    case "unary":
      return readUnary(node, left);
    case "block": {
      // Parentheses.
      const [only, ...more] = node.expressions as readonly Node[];
      return has(node, "expressions") && more.length === 0 ? read(only, left) : undefined;
    }
    default:
      return undefined;
  }
}

function readPath(steps: readonly Node[], left: { nodes: number }): CheapExpression | undefined {
  left.nodes -= steps.length;
  const isName = (step: Node): boolean => step.type === "name" && has(step, "value");
  if (left.nodes < 0 || !steps.every(isName)) return undefined;
  return { type: "path", names: steps.map(({ value }) => String(value)) };
}

function readBinary(node: Node, nodes: { nodes: number }): CheapExpression | undefined {
  if (!operators.has(node.value)) return undefined;
  const left = read(node.lhs, nodes);
  const right = left && read(node.rhs, nodes);
  return right && { type: "binary", operator: String(node.value), left, right };
}

function readUnary(node: Node, left: { nodes: number }): CheapExpression | undefined {
  if (node.value === "-" && has(node, "value", "expression")) {
    const of = read(node.expression, left);
    return of && { type: "negative", of };
  }
  if (node.value !== "{" || !has(node, "value", "lhs")) return undefined;
  const members = new Map<string, CheapExpression>();
  for (const [key, given] of node.lhs as readonly (readonly [Node, Node])[]) {
    const name = key.type === "string" && has(key, "value") ? String(key.value) : undefined;
    const value = read(given, left);
    if (name === undefined || value === undefined) return undefined;
    if (members.has(name) || reserved.has(name)) return undefined;
    members.set(name, value);
  }
  return { type: "object", members: [...members] };
}

const isNode = (node: unknown): node is Node => typeof node === "object" && node !== null;

/** Whether a node has these members and no others, which could change what it means. */
function has(node: Node, ...names: readonly string[]): boolean {
  return Object.keys(node).every((name) => ["type", "position", ...names].includes(name));
}
