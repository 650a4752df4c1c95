import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";

/** A place in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What is wrong with a text, and where. */
interface TextFault extends Place {
  readonly message: string;
}

/** A value, and where its members begin. */
interface ReadText {
  readonly value: unknown;
  /** Where a member begins: its name, or an item of a list; of a missing one, where it is missing. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place;
}

/** Reads a text in YAML, of which JSON is a part. All its faults are found. */
export function readYamlText(text: string): ReadText | { readonly faults: readonly TextFault[] } {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, { lineCounter: lines, schema: "core", stringKeys: true });
  const broken = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    ...placeAt(pos[0]),
    message: message.split(/ at line \d+/)[0] ?? "",
  }));
  if (broken.length > 0) return { faults: broken };
  const placeOf = (path: readonly PropertyKey[]): Place => {
    for (let length = path.length; length > 0; length--) {
      const member = path[length - 1];
      const parent: unknown =
        length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
      const node = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === member)?.key
        : isSeq(parent)
          ? parent.get(member, true)
          : undefined;
      if (isNode(node) && node.range) return placeAt(node.range[0]);
    }
    return placeAt(document.contents?.range?.[0] ?? 0);
  };
  try {
    return { value: document.toJS() as unknown, placeOf };
  } catch (error) {
    // An alias without its anchor, or aliases that would grow without bound.
    if (!(error instanceof ReferenceError)) throw error;
    return { faults: [{ ...placeAt(offsetOfAlias(document)), message: error.message }] };
  }
}

/** Where the first alias is that stands for nothing; the beginning of the text if all stand for something. */
function offsetOfAlias(document: Document.Parsed): number {
  let offset = 0;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** A file and a place in it, as editors and terminals understand it. */
export const describePlace = (file: string, { line, column }: Place): string =>
  `${file}:${line}:${column}`;
