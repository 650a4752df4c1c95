import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];
type Target = NodeJS.WriteStream;

/** Colours are for terminals alone, and not where NO_COLOR is set: Node reads both. */
const paint =
  (format: Format) =>
  (text: string, stream: Target = process.stdout): string =>
    styleText(format, text, { stream });

export const bold = paint("bold");
export const dim = paint("dim");
export const red = paint("red");
export const green = paint("green");
export const yellow = paint("yellow");
export const cyan = paint("cyan");

/** Whether a stream shows colours. */
export const hasColours = (stream: Target = process.stdout): boolean => bold("-", stream) !== "-";
