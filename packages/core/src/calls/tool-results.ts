/** The results of remote tools: as invocations store them, and as actions show them. */
import type { GeneratedFile } from "@parley/schema";

/** Characters of an output that a model is given; the rest is cut. */
export const MAX_OUTPUT_CHARACTERS = 200_000;

/** The result of an invocation that called a remote tool. */
export interface StoredToolResult {
  /** MCP content, in which files are references. */
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  readonly generatedFiles: readonly GeneratedFile[];
}

/** The parts of an action that the JSON of such a result gives. */
export function readToolResult(json: string): ActionResult {
  // Written by this program.
  return toActionResult(JSON.parse(json) as StoredToolResult);
}

/** The parts of an action that a result gives. */
interface ActionResult {
  readonly isError: boolean;
  readonly output: unknown[];
  readonly generatedFiles: GeneratedFile[] | null;
}

/** The same of a result that is not JSON: its texts together are cut. */
export function toActionResult(result: StoredToolResult): ActionResult {
  const { content, structuredContent, isError, generatedFiles } = result;
  const given =
    content.length === 0 && structuredContent !== undefined
      ? [{ type: "text", text: JSON.stringify(structuredContent) }]
      : content;
  let left = MAX_OUTPUT_CHARACTERS;
  const output = given.map((part) => {
    if (!isText(part)) return part;
    const text = part.text.slice(0, left).toWellFormed();
    left -= text.length;
    return { ...part, text };
  });
  return {
    isError,
    output: output.length === 0 ? [{ type: "text", text: "" }] : output,
    generatedFiles: generatedFiles.length === 0 ? null : [...generatedFiles],
  };
}

/** The output of an action as a model is given it: its texts, and a line for each thing that is none. */
export function textOfOutput(output: readonly unknown[] | null): string {
  const parts = (output ?? []).map((part) => {
    if (isText(part)) return part.text;
    const { resource } = part as { resource?: unknown };
    return isText(resource) ? resource.text : JSON.stringify(part);
  });
  return parts.join("\n").slice(0, MAX_OUTPUT_CHARACTERS).toWellFormed();
}

function isText(part: unknown): part is { readonly text: string } {
  return (
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
  );
}
