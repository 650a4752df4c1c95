import wrapAnsi from "wrap-ansi";
import { printLine } from "../../print.ts";

/** Prints a text with lines that fit the terminal, cut between words. */
export const printText = (text: string): void =>
  printLine(io, wrapAnsi(text, Math.max(8, process.stdout.columns - 1), { hard: true }));
