import { type RawSearch, textOf } from "../routing/search.ts";

/** What is tried, in the URL: `form` or the number of a version, each with a model if it is not its own. */
export interface TrialSearch {
  ask?: string | undefined;
  model?: string | undefined;
  with?: string | undefined;
  withModel?: string | undefined;
}

/** Reads what is tried; anything else is left out. */
export function readTrial(search: RawSearch): TrialSearch {
  const subject = (name: "ask" | "with") => {
    const text = textOf(search, name);
    return text === "form" || /^\d{1,9}$/.test(text ?? "") ? text : undefined;
  };
  const model = (name: "model" | "withModel") => {
    const text = textOf(search, name);
    return text?.includes("/") ? text : undefined;
  };
  return {
    ask: subject("ask"),
    model: model("model"),
    with: subject("with"),
    withModel: model("withModel"),
  };
}
