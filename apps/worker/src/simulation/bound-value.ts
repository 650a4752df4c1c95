// Used in threads too: it imports no package of the workspace.
import type { EvaluationFailure } from "./evaluate.ts";

/** JSON of a value, or its text, or why there is none. */
export type Evaluated = { readonly json: string } | { readonly text: string } | EvaluationFailure;

export interface ValueBounds {
  /** A value with longer JSON fails. */
  readonly maxCharacters: number;
  /** Longer text of a value is cut. */
  readonly maxShown: number;
}

/** What becomes of the JSON of a value: it, or its text if it is shown, within the bounds. */
export function boundValue(
  json: string,
  isShown: boolean,
  { maxCharacters, maxShown }: ValueBounds,
): Evaluated {
  if (json.length > maxCharacters) {
    const message = `The result must be at most ${maxCharacters} bytes of JSON`;
    return { code: "output_too_large", message };
  }
  if (!isShown) return { json };
  if (json === "null") return { text: "" };
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  return { text: text.slice(0, maxShown) };
}
