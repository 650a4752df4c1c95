import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are those of the page: its custom properties reach into the shadow root, in light and dark.

const look = EditorView.theme({
  "&": {
    color: "var(--color-ink)",
    backgroundColor: "var(--color-canvas)",
    border: "1px solid var(--color-control)",
    borderRadius: "6px",
    fontSize: "0.875rem",
  },
  "&.cm-focused": { outline: "2px solid var(--color-accent)", outlineOffset: "2px" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "1.5",
    maxHeight: "34rem",
    borderRadius: "6px",
  },
  ".cm-content": { caretColor: "var(--color-ink)" },
  ".cm-content, .cm-gutter": { minHeight: "6rem" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--color-ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--color-surface)",
    color: "var(--color-muted)",
    borderRight: "1px solid var(--color-line)",
  },
  ".cm-activeLineGutter": { backgroundColor: "var(--color-accent-soft)" },
  "& .cm-scroller .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    { backgroundColor: "color-mix(in srgb, var(--color-accent) 25%, transparent)" },
  ".cm-selectionMatch, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--color-accent-soft)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--color-warn-soft)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--color-warn)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--color-surface)",
    border: "1px solid var(--color-line)",
    color: "var(--color-muted)",
  },
  ".cm-panels": { backgroundColor: "var(--color-surface)", color: "var(--color-ink)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--color-line)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--color-line)" },
  ".cm-textfield": {
    backgroundColor: "var(--color-canvas)",
    color: "var(--color-ink)",
    border: "1px solid var(--color-control)",
  },
  ".cm-button": {
    backgroundColor: "var(--color-raised)",
    backgroundImage: "none",
    color: "var(--color-ink)",
    border: "1px solid var(--color-control)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--color-raised)",
    color: "var(--color-ink)",
    border: "1px solid var(--color-line)",
    borderRadius: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--color-accent)",
    color: "var(--color-on-accent)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li .cm-completionDetail": { color: "inherit" },
  ".cm-diagnostic": { fontFamily: "var(--font-sans)", padding: "4px 8px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--color-bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--color-warn)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--color-accent-soft)" },
});

const violet = "light-dark(#8a1c7c, #e3a2f0)";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null, tags.typeName], color: violet },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--color-good)" },
  { tag: [tags.number, tags.meta, tags.escape], color: "var(--color-warn)" },
  { tag: [tags.comment, tags.quote], color: "var(--color-muted)", fontStyle: "italic" },
  {
    tag: [tags.function(tags.variableName), tags.definition(tags.propertyName), tags.propertyName],
    color: "var(--color-accent)",
  },
  { tag: [tags.link, tags.url], color: "var(--color-accent)", textDecoration: "underline" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
]);

/** How an editor looks. */
export const theme: Extension = [look, syntaxHighlighting(colours)];

/** How an editor of prose looks besides. */
export const proseTheme: Extension = EditorView.theme({
  ".cm-scroller": { fontFamily: "var(--font-sans)" },
  ".cm-content": { minHeight: "18rem", padding: "8px" },
});
