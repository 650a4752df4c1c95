/** The parts of a tool's result as texts: JSON is indented, and a part that is not text becomes JSON. */
export function textsOfOutput(output: readonly unknown[]): string[] {
  return output.map((part) => {
    const isText = typeof part === "object" && part !== null && "text" in part;
    const text = isText && typeof part.text === "string" ? part.text : undefined;
    if (text === undefined) return JSON.stringify(part, null, 2) ?? "undefined";
    return indented(text);
  });
}

/** Indents a text that is a JSON object or list; returns any other unchanged. */
function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
