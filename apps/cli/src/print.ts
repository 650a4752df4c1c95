/** Prints a line of the output of a command. */
export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints a line for the person who runs a command; standard output is for its output. */
export const reportLine = (line: string): void => void process.stderr.write(`${line}\n`);
