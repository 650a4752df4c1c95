import {
  formatPath,
  invalidRequest,
  type ParleyError,
  type SendChat,
  SentChatMessage,
} from "@parley/schema";
import { readDataUrl } from "../data-url.ts";
import { writeOutput } from "./page-outputs.ts";

/** A file of a message, with its bytes. */
export interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Where it is in the request. */
  readonly path: string;
}

/** A user's message, as a chat has it. */
export interface SentText {
  readonly content: string;
  readonly files: readonly SentFile[];
}

/** What a chat asks for by what it sends. */
export type Sent =
  | ({ readonly kind: "post" } & SentText)
  | ({ readonly kind: "edit"; readonly messageId: string } & SentText)
  | ({ readonly kind: "regenerate"; readonly messageId: string | undefined } & SentText)
  | {
      readonly kind: "continue";
      readonly messageId: string;
      readonly decisions: readonly { readonly actionId: string; readonly approved: boolean }[];
      /** Outputs of the page's own tools: of all calls of the message, those of earlier steps too. */
      readonly outputs: readonly SentOutput[];
    };

/** The output of a call of the page's own tool. */
export interface SentOutput {
  readonly actionId: string;
  readonly output: string;
  readonly isError: boolean;
  /** Where it is in the request. */
  readonly path: string;
}

/**
 * Reads what a chat asks for. Everything but the one message that it is about is history, which is the server's.
 * Throws `invalid_request_error`.
 */
export function readSent({
  messages,
  trigger,
  messageId,
}: Pick<SendChat, "messages" | "trigger" | "messageId">): Sent {
  const isNamed = (one: unknown) => (one as { id?: unknown } | null)?.id === messageId;
  const named = messageId === undefined ? -1 : messages.findLastIndex(isNamed);
  if (trigger === "regenerate-message") {
    // The page has left out what is regenerated: the last message is the one that is answered.
    const index = messages.length - 1;
    const message = parseMessage(messages, index);
    if (message.role !== "user") throw invalid(index, ".role", "must be user: its answer is given");
    // The id of a message that the page alone knows says no more.
    const answerId = named === index ? undefined : messageId;
    return { kind: "regenerate", messageId: answerId, ...readText(message, index) };
  }
  const index = named === -1 ? messages.length - 1 : named;
  const message = parseMessage(messages, index);
  if (message.role === "assistant") {
    const decisions = message.parts.flatMap(({ state, approval }) => {
      if (state !== "approval-responded" || approval?.approved === undefined) return [];
      return [{ actionId: approval.id, approved: approval.approved }];
    });
    const outputs = readOutputs(message, index);
    if (decisions.length + outputs.length > 0) {
      return { kind: "continue", messageId: message.id, decisions, outputs };
    }
    const why =
      "must have a call that is decided, or that the page has run, of an answer that is sent";
    throw invalid(index, ".parts", why);
  }
  const sent = readText(message, index);
  return messageId === undefined ? { kind: "post", ...sent } : { kind: "edit", messageId, ...sent };
}

function readOutputs({ parts }: SentChatMessage, index: number): SentOutput[] {
  return parts.flatMap(
    (
      { state, toolCallId: actionId, providerExecuted, output, errorText },
      position,
    ): SentOutput[] => {
      // What the server has run is history.
      if (actionId === undefined || providerExecuted === true) return [];
      const call = { actionId, path: `messages[${index}].parts[${position}]` };
      if (state === "output-available") {
        return [{ ...call, output: writeOutput(output), isError: false }];
      }
      return state === "output-error" ? [{ ...call, output: errorText ?? "", isError: true }] : [];
    },
  );
}

function parseMessage(messages: readonly unknown[], index: number): SentChatMessage {
  const { data, error } = SentChatMessage.safeParse(messages[index]);
  if (data !== undefined) return data;
  const issues = error.issues.map(({ path, message }) => ({
    path: formatPath(["messages", index, ...path]),
    message,
  }));
  throw invalidRequest("body", issues);
}

function readText({ parts }: SentChatMessage, index: number): SentText {
  const files = parts.flatMap((part, position) =>
    part.type === "file" ? [readFile(part, { index, position })] : [],
  );
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
  // A message has a text, and a chat sends files without one.
  const content = texts.length > 0 ? texts.join("\n") : files.map(({ name }) => name).join(", ");
  if (content !== "") return { content, files };
  throw invalid(index, ".parts", "must have a text or a file");
}

function readFile(
  { url = "", mediaType, filename }: SentChatMessage["parts"][number],
  { index, position }: { index: number; position: number },
): SentFile {
  const path = `messages[${index}].parts[${position}]`;
  const { contentType, bytes } = readDataUrl(url, `${path}.url`);
  return {
    name: filename ?? `file-${position + 1}`,
    contentType: mediaType ?? contentType,
    bytes,
    path,
  };
}

function invalid(index: number, member: string, message: string): ParleyError {
  return invalidRequest("body", [{ path: `messages[${index}]${member}`, message }]);
}
