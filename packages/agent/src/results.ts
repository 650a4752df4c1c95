import type { BuiltInTool } from "./tools.ts";

const READ = "results__read";

/** Characters of a result that the turn that made the call is given whole. */
export const MAX_RESULT_CHARACTERS = 100_000;
/** Of one that is longer, its beginning and its end. */
const HEAD_CHARACTERS = 80_000;
const TAIL_CHARACTERS = 10_000;
/** Characters that one call of the tool reads at most, and if it does not say how many. */
const MAX_READ_CHARACTERS = 50_000;
const READ_CHARACTERS = 10_000;

/** A text of which only the beginning and the end are there. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Of the whole text. */
  readonly characters: number;
}

/** Where a call stands in the conversation. */
export interface CallPlace {
  /** Position of the answer. */
  readonly rank: number;
  readonly step: number;
  readonly position: number;
}

/** The name of a call for the model, which is the same in every turn: providers' own ids may come back. */
function nameCall({ rank, step, position }: CallPlace): string {
  return `${rank}-${step}-${position}`;
}

/** A result that is cut, with a note in the middle that says how the rest is read. */
export function describeCut({ head, tail, characters }: CutText, place: CallPlace): string {
  const from = lengthOf(head);
  const left = characters - from - lengthOf(tail);
  if (left <= 0) return head + tail;
  const how = `${READ} with call ${JSON.stringify(nameCall(place))} and offset ${from}`;
  return `${head}\n[… ${left} of ${characters} characters are left out here; to read them, call ${how} …]\n${tail}`;
}

/** Parameters of an earlier call that are too long to be given, as an object of their own. */
export function describeCutParams({ head, characters }: CutText): Record<string, unknown> {
  return {
    leftOut: `These parameters had ${characters} characters of JSON, which began so: ${head.slice(0, 1000).toWellFormed()}`,
  };
}

/** The result of a call of the turn in progress: as it is, unless it is very long. */
export function shownResult(output: string, place: CallPlace): string {
  if (!isCut(output)) return output;
  const characters = Array.from(output);
  return describeCut(
    {
      head: characters.slice(0, HEAD_CHARACTERS).join(""),
      tail: characters.slice(-TAIL_CHARACTERS).join(""),
      characters: characters.length,
    },
    place,
  );
}

function isCut(output: string): boolean {
  return output.length > MAX_RESULT_CHARACTERS && lengthOf(output) > MAX_RESULT_CHARACTERS;
}

/** Characters, of which one may be two units of UTF-16: PostgreSQL counts so too. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** Reads whole results for the tool; undefined for a call that has none. */
export type ReadResult = (place: CallPlace) => Promise<string | undefined>;

/**
 * The tool that reads on in results that were cut. Whoever may call something is offered it from the first step on: a
 * tool that appears later changes how all further requests begin, and no cache has them.
 */
export function resultsTool(read: ReadResult): BuiltInTool {
  return {
    name: READ,
    description:
      "Reads on in a long result of an earlier tool call, of which only the beginning and the end are shown",
    inputSchema: {
      type: "object",
      properties: {
        call: { type: "string", description: "The call, as the note in its result names it" },
        offset: { type: "integer", minimum: 0, description: "Characters to skip; 0 by default" },
        length: {
          type: "integer",
          minimum: 1,
          maximum: MAX_READ_CHARACTERS,
          description: `Characters to read; ${READ_CHARACTERS} by default`,
        },
      },
      required: ["call"],
    },
    run: async ({ call, offset, length }) => {
      const place = readPlace(call);
      const result = place && (await read(place));
      if (result === undefined) {
        const output =
          "No such call, or it has no result. Use the name that the note in the result gives";
        return { output, isError: true };
      }
      const characters = Array.from(result);
      const from = Math.min(toCount(offset, 0), characters.length);
      const count = Math.min(Math.max(toCount(length, READ_CHARACTERS), 1), MAX_READ_CHARACTERS);
      const end = Math.min(from + count, characters.length);
      const range = `Characters ${from} to ${end} of ${characters.length}`;
      return { output: `[${range}]\n${characters.slice(from, end).join("")}`, isError: false };
    },
  };
}

function readPlace(call: unknown): CallPlace | undefined {
  const [, rank, step, position] = /^(\d{1,9})-(\d{1,9})-(\d{1,9})$/.exec(String(call)) ?? [];
  if (position === undefined) return undefined;
  return { rank: Number(rank), step: Number(step), position: Number(position) };
}

function toCount(value: unknown, byDefault: number): number {
  return typeof value === "number" && Number.isFinite(value)
    ? Math.max(0, Math.floor(value))
    : byDefault;
}
