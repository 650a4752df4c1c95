import type { Io } from "./io.ts";

/** Prints a line of the output of a command. */
export const printLine = ({ stdout }: Pick<Io, "stdout">, line: string): void =>
  void stdout.write(`${line}\n`);

/** Prints a line for the person who runs a command; standard output is for its output. */
export const reportLine = ({ stderr }: Pick<Io, "stderr">, line: string): void =>
  void stderr.write(`${line}\n`);
