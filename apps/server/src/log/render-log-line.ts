import { oneLine, plain } from "@parley/command/print";

const levels: Readonly<Record<number, string>> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

/** What is the same in every line. */
const OF_PROCESS = new Set(["pid", "hostname"]);

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly [member: string]: unknown;
}

/**
 * Renders a JSON line of the log for people: the time of day, level, message and members, with texts of several
 * lines and errors below, indented. What others wrote moves no cursor.
 */
export function renderLogLine(json: string): string {
  const { level, time, msg = "", ...members } = JSON.parse(json) as Line;
  const short: string[] = [];
  const long: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (OF_PROCESS.has(name)) continue;
    const text = textOf(value);
    if (text.includes("\n")) long.push(`  ${name}: ${indent(text)}`);
    else short.push(`${name}=${oneLine(text)}`);
  }
  const clock = new Date(time).toTimeString().slice(0, 8);
  const first = [clock, (levels[level] ?? String(level)).padEnd(5), oneLine(msg), ...short];
  return [first.join(" "), ...long].map((line) => `${line}\n`).join("");
}

/** An error is its stack, which begins with its name and message, followed by its causes. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isError(value)) return JSON.stringify(value);
  const { stack, cause, code } = value;
  const coded = code === undefined ? "" : `\ncode: ${String(code)}`;
  return `${stack}${coded}${cause === undefined ? "\n" : `\ncaused by: ${textOf(cause)}`}`;
}

const isError = (
  value: unknown,
): value is { readonly stack: string; readonly cause?: unknown; readonly code?: unknown } =>
  typeof value === "object" &&
  value !== null &&
  "stack" in value &&
  typeof value.stack === "string";

const indent = (text: string): string => plain(text).trimEnd().replaceAll("\n", "\n    ");
