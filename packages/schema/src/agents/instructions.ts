import { text } from "../parsing/text.ts";
import { instructionCure, splitInstructions } from "./instruction-values.ts";

/** Instructions for a model as they are saved. */
export const Instructions = text(512 * 1024).superRefine((instructions, context) => {
  const split = splitInstructions(instructions);
  if (Array.isArray(split)) return;
  const lines = instructions.slice(0, split.at).split("\n");
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  context.addIssue({ code: "custom", message: `${place}: ${split.message}. ${instructionCure}` });
});
