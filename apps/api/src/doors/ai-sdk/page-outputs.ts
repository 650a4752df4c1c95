// A tool of a page puts out any JSON; a model is given a text, and a page that reads the answer again the same JSON.
import type { Action } from "@parley/schema";

/** The text that a model is given: a text as it is, and everything else, or what reads as such, as JSON. */
export function writeOutput(output: unknown): string {
  if (typeof output === "string" && parseJson(output) === undefined) return output;
  return JSON.stringify(output ?? null);
}

/** What a page had as the output of its tool: the reverse of `writeOutput`. Parts that are no text stay as they are. */
export function readOutput(output: Action["output"]): unknown {
  const [first, ...others] = (output ?? []) as { readonly type?: string; readonly text?: string }[];
  if (first?.type !== "text" || first.text === undefined || others.length > 0) return output;
  const parsed = parseJson(first.text);
  return parsed === undefined ? first.text : parsed.value;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
