/** A field of an expression: what it is called, and what it counts. */
export interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Names of values, in capitals, from the first. */
  readonly names?: readonly string[];
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** The five fields, in their order. Sunday is 0 and 7. */
export const cronFields = {
  minute: { name: "minute", first: 0, last: 59 },
  hour: { name: "hour", first: 0, last: 23 },
  dayOfMonth: { name: "day of month", first: 1, last: 31 },
  month: { name: "month", first: 1, last: 12, names: months },
  dayOfWeek: { name: "day of week", first: 0, last: 7, names: days },
} as const satisfies Record<string, Field>;

/** Why an expression is refused. The message names the field, and is made for its author. */
export class CronFault extends Error {
  override readonly name = "CronFault";
}

/** The values of a field's text, without order. Throws a CronFault. */
export function parseField(field: Field, text: string): Set<number> {
  return new Set(text.split(",").flatMap((item) => parseItem(field, item)));
}

function parseItem(field: Field, item: string): number[] {
  const [, range = "", step] = /^([^/]*)(?:\/(.*))?$/s.exec(item) ?? [];
  const { first, last } = parseRange(field, range, item);
  if (step === undefined) return valuesBetween(first, last, 1);
  if (!/[*-]/.test(range)) throw fault(field, `${quote(item)}: a step follows * or a range`);
  const most = field.last - field.first;
  if (!/^\d+$/.test(step) || Number(step) < 1 || Number(step) > most) {
    throw fault(field, `${quote(item)}: a step is a number from 1 to ${most}`);
  }
  return valuesBetween(first, last, Number(step));
}

function parseRange(field: Field, range: string, item: string): { first: number; last: number } {
  if (item === "") throw fault(field, "an item of its list is empty");
  if (range === "*") return field;
  const [start = "", end, ...more] = range.split("-");
  const first = parseValue(field, start, item);
  if (end === undefined) return { first, last: first };
  const named = parseValue(field, end, item);
  const last = field === cronFields.dayOfWeek && named === 0 && first > 0 ? 7 : named;
  if (more.length > 0) throw fault(field, `${quote(item)} is not a range, as in 1-5`);
  if (last < first) throw fault(field, `${quote(item)}: a range ends at or after its start`);
  return { first, last };
}

function parseValue(field: Field, text: string, item: string): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return field.first + named;
  const { first, last, names } = field;
  if (!/^\d+$/.test(text)) {
    const orName = names === undefined ? "" : `, names as ${names[0]}`;
    const from = `numbers from ${first} to ${last}${orName}`;
    throw fault(
      field,
      `${quote(item)} is not supported: write *, ${from}, lists, ranges and steps`,
    );
  }
  const value = Number(text);
  if (value < first || value > last) throw fault(field, `${text} is not from ${first} to ${last}`);
  return value;
}

function valuesBetween(first: number, last: number, step: number): number[] {
  const count = Math.floor((last - first) / step) + 1;
  return Array.from({ length: count }, (_, index) => first + index * step);
}

const quote = (text: string): string => JSON.stringify(text);

const fault = ({ name }: Field, problem: string): CronFault => new CronFault(`${name}: ${problem}`);
