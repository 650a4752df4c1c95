import { javascript } from "@codemirror/lang-javascript";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import type { Diagnostic } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Language } from "./problem.ts";

/** The extension for a language. */
export function extensionOf(language: Language): Extension {
  switch (language) {
    case "typescript":
      return javascript({ typescript: true });
    case "javascript":
      return javascript();
    case "json":
      return json();
    case "python":
      return python();
    case "markdown":
      return [markdown(), EditorView.lineWrapping];
    default:
      return EditorView.lineWrapping;
  }
}

const findInJson = jsonParseLinter();

/** The syntax errors of a text. */
export function grammarFaults(view: EditorView, language: Language): readonly Diagnostic[] {
  // An empty text is not JSON, but valid: it means no value.
  if (language !== "json" || view.state.doc.toString().trim() === "") return [];
  return findInJson(view);
}
