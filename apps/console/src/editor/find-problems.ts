import { type Diagnostic, forEachDiagnostic, linter, setDiagnosticsEffect } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { grammarFaults } from "./languages.ts";
import type { Assistant, Language, Problem } from "./problem.ts";

/** The pause in typing before a text is checked. */
const DELAY_MS = 400;

/** Signals that the known problems have changed, though the text has not. */
const lookAgain = StateEffect.define();

interface Sources {
  readonly language: Language;
  /** The known problems of the current text. */
  readonly known: () => readonly Problem[];
  readonly assistant: () => Assistant | undefined;
  /** Receives the shown problems, in the order of the lines. */
  readonly setFound: (problems: readonly Problem[]) => void;
}

/** Shows the problems of all sources at their lines. */
export function findProblems({ language, known, assistant, setFound }: Sources): Extension {
  return [
    linter(
      async (view) => {
        const { doc } = view.state;
        const assisted = (await assistant()?.findProblems(doc.toString())) ?? [];
        const located = [...known(), ...assisted].map((one) => diagnosticOf(doc, one));
        return [...located, ...grammarFaults(view, language)];
      },
      {
        delay: DELAY_MS,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(lookAgain))),
      },
    ),
    EditorView.updateListener.of(({ transactions, state }) => {
      const isNew = transactions.some(({ effects }) =>
        effects.some((effect) => effect.is(setDiagnosticsEffect)),
      );
      if (isNew) setFound(problemsOf(state));
    }),
  ];
}

/** Checks a text again. */
export function findProblemsAgain(view: EditorView): void {
  view.dispatch({ effects: lookAgain.of(null) });
}

function diagnosticOf(doc: Text, problem: Problem): Diagnostic {
  const from = offsetOf(doc, problem);
  // A position without an extent is marked as one character.
  const to = Math.min(from + 1, doc.lineAt(from).to);
  return { from, to, severity: problem.severity, message: problem.message };
}

function offsetOf(doc: Text, { line, column }: Problem): number {
  const place = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(place.from + Math.max(column - 1, 0), place.to);
}

function problemsOf(state: EditorState): Problem[] {
  const problems: Problem[] = [];
  forEachDiagnostic(state, ({ severity, message }, from) => {
    const { number, from: start } = state.doc.lineAt(from);
    const isError = severity === "error";
    problems.push({
      line: number,
      column: from - start + 1,
      message,
      severity: isError ? "error" : "warning",
    });
  });
  return problems;
}

/** Moves the cursor to a problem. */
export function showProblem(view: EditorView, problem: Problem): void {
  const anchor = offsetOf(view.state.doc, problem);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor) });
  view.focus();
}
