/** Values whose JSON is longer are written in pieces. */
const PIECE_CHARACTERS = 64 * 1024;

/** Whether the JSON of a plain value is to be written in pieces; that of an async iterable always is. */
export function isLong(value: unknown): boolean {
  return charactersLeft(value, PIECE_CHARACTERS) < 0;
}

/** Roughly `left` less the characters of a value's JSON; less than 0 for an async iterable. */
function charactersLeft(value: unknown, left: number): number {
  if (typeof value === "string") return left - value.length;
  if (typeof value !== "object" || value === null) return left - 1;
  if (Symbol.asyncIterator in value) return -1;
  let rest = left;
  if (Array.isArray(value)) {
    for (const member of value) {
      rest = charactersLeft(member, rest - 1);
      if (rest < 0) return rest;
    }
    return rest;
  }
  for (const name in value) {
    rest = charactersLeft((value as Record<string, unknown>)[name], rest - name.length);
    if (rest < 0) return rest;
  }
  return rest;
}

/**
 * Yields the JSON of a plain value in pieces of bounded size, single strings aside. An async iterable
 * is written as the array of its values, which are read on demand.
 */
export async function* jsonPieces(value: unknown): AsyncGenerator<string, void, undefined> {
  if (typeof value !== "object" || value === null || !isLong(value)) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  const isArray = Array.isArray(value) || Symbol.asyncIterator in value;
  const members = isArray ? (value as AsyncIterable<unknown>) : Object.entries(value);
  let piece = isArray ? "[" : "{";
  let before = "";
  for await (const member of members) {
    const [name, content] = isArray ? ["", member] : (member as [string, unknown]);
    if (!isArray && content === undefined) continue;
    piece += isArray ? before : `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (isLong(content)) {
      yield piece;
      piece = "";
      yield* jsonPieces(content);
    } else piece += JSON.stringify(content) ?? "null";
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece + (isArray ? "]" : "}");
}
