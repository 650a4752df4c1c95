/** The parts of what a tool returned, as texts: JSON is indented, and what is no text is JSON. */
export function textsOfOutput(output: readonly unknown[]): string[] {
  return output.map((part) => {
    const isText = typeof part === "object" && part !== null && "text" in part;
    const text = isText && typeof part.text === "string" ? part.text : undefined;
    if (text === undefined) return JSON.stringify(part, null, 2) ?? "undefined";
    return indented(text);
  });
}

/** A text that is JSON of an object or a list with indentation; any other as it is. */
function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
