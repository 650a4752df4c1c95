/** A piece of a text template: literal text, or an expression that is replaced by its value. */
export type TemplatePiece = { readonly text: string } | { readonly expression: string };

/** Splits a template such as `hello {{name}}`; an unclosed `{{` is text. */
export function splitTemplate(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let from = 0;
  for (;;) {
    const start = template.indexOf("{{", from);
    const end = start === -1 ? -1 : template.indexOf("}}", start + 2);
    if (end === -1) break;
    if (start > from) pieces.push({ text: template.slice(from, start) });
    pieces.push({ expression: template.slice(start + 2, end) });
    from = end + 2;
  }
  if (from < template.length) pieces.push({ text: template.slice(from) });
  return pieces;
}
