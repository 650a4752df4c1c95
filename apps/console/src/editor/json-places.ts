import { jsonLanguage } from "@codemirror/lang-json";

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>["topNode"];

/** A position in a text; both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * The position of the value at a path in a JSON text, as in `properties.a[0].type`; of the nearest value around it
 * if there is none. Names may contain dots: the longest match is taken.
 */
export function placeOfPath(text: string, path: string): Place {
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  let rest = path;
  let offset = node?.from ?? 0;
  while (node !== null && rest !== "") {
    const step: Step | undefined =
      node.name === "Array" ? itemOf(node, rest) : propertyOf(node, rest, text);
    if (step === undefined) break;
    offset = step.from;
    node = step.value;
    rest = step.rest;
  }
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

interface Step {
  readonly from: number;
  readonly value: SyntaxNode | null;
  readonly rest: string;
}

function itemOf(node: SyntaxNode, path: string): Step | undefined {
  const [whole, index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
  if (whole === undefined) return undefined;
  const value = childrenOf(node)[Number(index)];
  return value && { from: value.from, value, rest: path.slice(whole.length) };
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const values: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (!/^[[\],⚠]$/.test(child.name)) values.push(child);
  }
  return values;
}

function propertyOf(node: SyntaxNode, path: string, text: string): Step | undefined {
  const fitting = node.getChildren("Property").flatMap((property) => {
    const name = nameOf(property, text);
    if (name === undefined || !path.startsWith(name)) return [];
    const rest = path.slice(name.length);
    if (!/^(?:$|[.[])/.test(rest)) return [];
    return [{ length: name.length, from: property.from, value: property.lastChild, rest }];
  });
  const [longest] = fitting.toSorted((one, other) => other.length - one.length);
  return longest && { ...longest, rest: longest.rest.replace(/^\./, "") };
}

function nameOf(property: SyntaxNode, text: string): string | undefined {
  const name = property.getChild("PropertyName");
  if (name === null) return undefined;
  try {
    return String(JSON.parse(text.slice(name.from, name.to)));
  } catch {
    return undefined;
  }
}
