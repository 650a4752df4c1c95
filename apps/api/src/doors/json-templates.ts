// Most frames of a stream differ in one text and one number. The rest of their JSON is encoded once.

/** Stands for the text of a template. No other text of a frame is it: requests with NUL are refused. */
const PLACEHOLDER = "\0";

/** Encodes the objects that `make` makes of a text, which they contain once: as `JSON.stringify` does. */
export function templateOf(make: (text: string) => object): (text: string) => string {
  const [before = "", after = ""] = JSON.stringify(make(PLACEHOLDER)).split(
    JSON.stringify(PLACEHOLDER),
  );
  return (text) => before + JSON.stringify(text) + after;
}

/** An event whose JSON begins with its type, a name without quotation marks: encoded, or as its members. */
export type TypedEvent =
  | { readonly type: string; readonly json: string }
  | ({ readonly type: string; readonly json?: undefined } & Readonly<Record<string, unknown>>);

/** The JSON of an event with a number as its second member. */
export function withNumber(event: TypedEvent, name: string, value: number): string {
  const { type } = event;
  const head = `{"type":"${type}"`;
  const json = event.json ?? JSON.stringify(event);
  return `${head},"${name}":${value}${json.slice(head.length)}`;
}
