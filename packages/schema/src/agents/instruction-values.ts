/** Values that instructions name. Pages use it too, so it needs no schemas. */

/** The values that instructions may name, with what each is. */
export const instructionValues = {
  now: "the day and hour at which the message was sent, in its time zone",
  "user.name": "the name of the user who asks",
  "user.email": "the e-mail address of that user",
  "workspace.name": "the name of the workspace",
  "conversation.id": "the id of the conversation",
} as const;
export type ValueName = keyof typeof instructionValues;
export const valueNames = Object.keys(instructionValues) as readonly ValueName[];

/** A piece of instructions: text as the model reads it, or the name of a value. */
export type InstructionPiece = { readonly text: string } | { readonly value: ValueName };

/** Where instructions are not as they must be, from 0, and why. */
export interface InstructionFault {
  readonly at: number;
  readonly message: string;
}

const ESCAPED = "{{{{";
const OPENING = "{{";
const CLOSING = "}}";
/** Characters of an unknown name that an error repeats. */
const MAX_SHOWN = 40;

/** What to write in place of a fault. */
export const instructionCure = `Values are ${valueNames.join(", ")}; write ${ESCAPED} for ${OPENING} as text`;

/** Divides instructions into their pieces: `{{name}}` is a value, `{{{{` is `{{` as text. */
export function splitInstructions(instructions: string): InstructionPiece[] | InstructionFault {
  const pieces: InstructionPiece[] = [];
  let said = "";
  let from = 0;
  for (;;) {
    const start = instructions.indexOf(OPENING, from);
    said += instructions.slice(from, start === -1 ? undefined : start);
    if (start === -1) break;
    if (instructions.startsWith(ESCAPED, start)) {
      said += OPENING;
      from = start + ESCAPED.length;
      continue;
    }
    const end = instructions.indexOf(CLOSING, start + OPENING.length);
    if (end === -1) return { at: start, message: `${OPENING} has no ${CLOSING} after it` };
    const name = instructions.slice(start + OPENING.length, end);
    const value = valueNames.find((one) => one === name.trim());
    if (value === undefined) {
      const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
      return { at: start, message: `${JSON.stringify(shown)} is not the name of a value` };
    }
    if (said !== "") pieces.push({ text: said });
    said = "";
    pieces.push({ value });
    from = end + CLOSING.length;
  }
  if (said !== "") pieces.push({ text: said });
  return pieces;
}

/** Writes text into instructions, so that they say just this text. */
export function escapeInstructions(said: string): string {
  return said.replaceAll(OPENING, ESCAPED);
}

/** Whether instructions have values, or escapes. */
export function hasBraces(instructions: string | null | undefined): boolean {
  return instructions?.includes(OPENING) === true;
}

/** The values that instructions name, each once, in the order of `valueNames`; none if they are at fault. */
export function namedValues(instructions: string): ValueName[] {
  const pieces = splitInstructions(instructions);
  if (!Array.isArray(pieces)) return [];
  const named = new Set(pieces.map((piece) => ("value" in piece ? piece.value : undefined)));
  return valueNames.filter((name) => named.has(name));
}
