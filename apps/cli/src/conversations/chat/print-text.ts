import type { Io } from "@parley/command/io";
import { printLine } from "@parley/command/print";
import wrapAnsi from "wrap-ansi";

/** Prints a text with lines that fit the terminal, cut between words. */
export const printText = (io: Io, text: string): void =>
  printLine(io, wrapAnsi(text, Math.max(8, (io.columns ?? 80) - 1), { hard: true }));
