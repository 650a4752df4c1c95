import { EditorView } from "@codemirror/view";
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { editorExtensions } from "./extensions.ts";
import { findProblems, findProblemsAgain, showProblem } from "./find-problems.ts";
import type { Assistant, Language, Problem } from "./problem.ts";
import { ProblemList } from "./problem-list.tsx";

interface CodeViewProps {
  readonly label: string;
  /** Whether the page shows the label elsewhere. */
  readonly hidesLabel?: boolean;
  readonly language: Language;
  /** The initial text. Later values are ignored, so that typed text is never replaced. */
  readonly initial: string;
  readonly onChange: (text: string) => void;
  readonly hint?: ReactNode;
  /** The known problems of the current text. */
  readonly problems?: readonly Problem[] | undefined;
  readonly assistant?: Assistant | undefined;
}

const none: readonly Problem[] = [];

/**
 * The editor itself. It is in a shadow root, where its styles are adopted sheets: a style element would be
 * refused by the policy of the page.
 */
export function CodeView(props: CodeViewProps) {
  const { label, hidesLabel = false, language, initial, hint, problems = none, assistant } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const labelId = useId();
  const [found, setFound] = useState<readonly Problem[]>(none);
  const onText = useEffectEvent((text: string) => props.onChange(text));
  const known = useEffectEvent(() => problems);
  const assisting = useEffectEvent(() => assistant);
  const first = useEffectEvent(() => initial);

  useEffect(() => {
    if (host.current === null) return undefined;
    // The second mount of the same element finds the root of the first.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      doc: first(),
      extensions: [
        editorExtensions({ label, language, assistant: () => assisting() }),
        findProblems({ language, known: () => known(), assistant: () => assisting(), setFound }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          // Synchronously: a click right after a key must see this text.
          if (docChanged) flushSync(() => onText(state.doc.toString()));
        }),
      ],
    });
    root.append(describeKeys());
    view.current = made;
    return () => {
      view.current = undefined;
      made.destroy();
      root.replaceChildren();
    };
  }, [label, language]);

  useEffect(() => {
    if (view.current !== undefined) findProblemsAgain(view.current);
  }, [problems, assistant]);

  return (
    <div role="group" aria-labelledby={labelId} className="grid min-w-0 gap-1">
      <span
        id={labelId}
        className={hidesLabel ? "sr-only" : "font-medium"}
        onClick={() => view.current?.focus()}
      >
        {label}
      </span>
      <div ref={host} className="min-w-0" />
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
      <ProblemList
        label={`Problems in “${label}”`}
        problems={found}
        onChoose={(problem) => view.current && showProblem(view.current, problem)}
      />
    </div>
  );
}

/** Describes the keys to screen readers. A shadow root cannot refer to elements outside of it. */
function describeKeys(): HTMLElement {
  const keys = document.createElement("p");
  keys.id = "keys";
  keys.hidden = true;
  keys.textContent = "Tab indents. Press Escape, then Tab, to leave the editor.";
  return keys;
}
