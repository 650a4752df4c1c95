/** What a call returned, as a text: its texts, and the JSON of what is none. */
export function outputText(output: readonly unknown[] | null): string {
  return (output ?? []).map((part) => (isText(part) ? part.text : JSON.stringify(part))).join("\n");
}

function isText(part: unknown): part is { readonly text: string } {
  if (typeof part !== "object" || part === null) return false;
  return "type" in part && part.type === "text" && "text" in part && typeof part.text === "string";
}
