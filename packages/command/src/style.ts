import { WriteStream } from "node:tty";
import { styleText } from "node:util";
import type { Io } from "./io.ts";

type Format = Parameters<typeof styleText>[0];
type Target = "stdout" | "stderr";
type Colours = Pick<Io, "environment" | "isTerminal">;

/** Whether a stream shows colours: terminals do, as Node judges them by NO_COLOR, FORCE_COLOR, TERM and others. */
export function hasColours(
  { environment, isTerminal }: Colours,
  target: Target = "stdout",
): boolean {
  const isAsked = environment["FORCE_COLOR"] !== undefined || isTerminal[target];
  return isAsked && WriteStream.prototype.getColorDepth(environment) > 2;
}

/** Text that is printed to standard output, or to the stream that is named. */
const paint =
  (format: Format) =>
  (io: Colours, text: string, target?: Target): string =>
    hasColours(io, target) ? styleText(format, text, { validateStream: false }) : text;

export const bold = paint("bold");
export const dim = paint("dim");
export const red = paint("red");
export const green = paint("green");
export const yellow = paint("yellow");
export const cyan = paint("cyan");
