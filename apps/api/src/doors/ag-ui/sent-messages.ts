import { invalidRequest, type RunAgentInput } from "@parley/schema";

type Messages = RunAgentInput["messages"];

/** What a run asks with, of its messages: a question, or the outputs of the application's tools. */
export type Sent =
  | { readonly kind: "question"; readonly content: string }
  | { readonly kind: "outputs"; readonly outputs: readonly SentOutput[] };

interface SentOutput {
  readonly actionId: string;
  readonly output: string;
  readonly isError?: boolean;
}

/**
 * Reads the end of a run's messages: the last one of the user, or the tool messages at the end. What comes before is
 * the server's own history, whatever the request says it is. Throws `invalid_request_error`.
 */
export function readSent(messages: Messages): Sent {
  const last = messages.at(-1);
  const index = messages.length - 1;
  if (last?.role === "user") {
    return { kind: "question", content: readText(last["content"], `messages[${index}].content`) };
  }
  if (last?.role !== "tool") {
    const message = "must end with a message of the user, or of a tool";
    throw invalidRequest("body", [{ path: "messages", message }]);
  }
  const before = messages.findLastIndex(({ role }) => role !== "tool");
  const outputs = messages.slice(before + 1).map((one, at) => readOutput(one, before + 1 + at));
  return { kind: "outputs", outputs };
}

function readOutput(message: Messages[number], index: number): SentOutput {
  const path = `messages[${index}]`;
  const { toolCallId: actionId, content, error } = message;
  if (typeof actionId !== "string") {
    throw invalidRequest("body", [{ path: `${path}.toolCallId`, message: "must be a string" }]);
  }
  const output = readText(content, `${path}.content`);
  return { actionId, output, ...(typeof error === "string" && { isError: true }) };
}

/** The text of a content, which has nothing else. */
function readText(content: unknown, path: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) {
    throw invalidRequest("body", [{ path, message: "must be a text, or parts that are texts" }]);
  }
  const parts: readonly unknown[] = content;
  return parts
    .map((part, index) => {
      if (isTextPart(part)) return part.text;
      const message = "must be a part of type text: upload files, and refer to them";
      throw invalidRequest("body", [{ path: `${path}[${index}]`, message }]);
    })
    .join("\n");
}

function isTextPart(part: unknown): part is { readonly text: string } {
  if (typeof part !== "object" || part === null) return false;
  return "type" in part && part.type === "text" && "text" in part && typeof part.text === "string";
}
