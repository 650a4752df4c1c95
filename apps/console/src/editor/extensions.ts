import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { extensionOf } from "./languages.ts";
import type { Assistant, Language } from "./problem.ts";
import { proseTheme, theme } from "./theme.ts";

/** Words that can be completed. */
const WORD = /[\w$]*$/;

const code: Extension = [
  lineNumbers(),
  lintGutter(),
  foldGutter(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  keymap.of([...closeBracketsKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
];

interface EditorOptions {
  readonly label: string;
  readonly language: Language;
  /** The current assistant. */
  readonly assistant: () => Assistant | undefined;
}

/** All extensions of an editor, except for finding problems. */
export function editorExtensions({ label, language, assistant }: EditorOptions): Extension {
  const isProse = language === "markdown" || language === "text";
  return [
    highlightSpecialChars(),
    history(),
    drawSelection(),
    autocompletion({
      icons: false,
      override: [async (context) => complete(context, assistant())],
    }),
    isProse ? proseTheme : code,
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    extensionOf(language),
    theme,
    EditorView.contentAttributes.of({
      "aria-label": label,
      spellcheck: isProse ? "true" : "false",
      ...(!isProse && { "aria-describedby": "keys" }),
    }),
  ];
}

async function complete(
  context: CompletionContext,
  assistant: Assistant | undefined,
): Promise<CompletionResult | null> {
  const word = context.matchBefore(WORD);
  const isMember = context.matchBefore(/\.[\w$]*$/) !== null;
  if (assistant === undefined || word === null) return null;
  if (!context.explicit && !isMember && word.text === "") return null;
  const suggestions = await assistant.suggest(context.state.doc.toString(), context.pos);
  return { from: word.from, options: [...suggestions], validFor: /^[\w$]*$/ };
}
