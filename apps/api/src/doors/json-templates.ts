// Most frames of a stream differ in one text and one number. The rest of their JSON is encoded once.

/** Stands for the text of a template. No other text of a frame is it: requests with NUL are refused. */
const PLACEHOLDER = "\0";

type MakeObject = (text: string) => object;

/** Encodes the objects that `make` makes of a text, which they contain once: as `JSON.stringify` does. */
export function templateOf(make: MakeObject): (text: string) => string {
  return templateAfter(0, make);
}

function templateAfter(skipped: number, make: MakeObject): (text: string) => string {
  const json = JSON.stringify(make(PLACEHOLDER)).slice(skipped);
  const [before = "", after = ""] = json.split(JSON.stringify(PLACEHOLDER));
  return (text) => before + JSON.stringify(text) + after;
}

const headOf = (type: string): string => `{"type":"${type}"`;

/** An event whose first member is its type, a name without quotation marks: its members, or the JSON after the type. */
export type TypedEvent =
  | { readonly type: string; readonly rest: string }
  | ({ readonly type: string; readonly rest?: undefined } & Readonly<Record<string, unknown>>);

/** Makes events of a type that differ in one text. */
export function eventTemplate(
  type: string,
  membersOf: MakeObject,
): (text: string) => TypedEvent & { readonly rest: string } {
  const encode = templateAfter(headOf(type).length, (text) => ({ type, ...membersOf(text) }));
  return (text) => ({ type, rest: encode(text) });
}

/** The JSON of an event with a number as its second member. */
export function withNumber(event: TypedEvent, name: string, value: number): string {
  const head = headOf(event.type);
  const rest = event.rest ?? JSON.stringify(event).slice(head.length);
  return `${head},"${name}":${value}${rest}`;
}
