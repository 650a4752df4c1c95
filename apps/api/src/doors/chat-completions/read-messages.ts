import { type ChatMessage, type ChatPart, type ImportedTurn, invalidRequest } from "@parley/schema";
import type { InputFile, Preceding } from "../fragments.ts";
import { addCall, addResult, paramsOf } from "../imported-turns.ts";

/** The messages of a request by what they are for. */
export interface ReadMessages {
  readonly preceding: readonly Preceding[];
  /** The text of the user's last messages; undefined if outputs of tools are the last. */
  readonly question: string | undefined;
  /** The outputs at the end, of the calls with these ids. */
  readonly outputs: readonly { readonly callId: string; readonly output: string }[];
}

/**
 * Sorts the messages of a request: the user's last ones are the question, and what stands before was said elsewhere.
 * With `isKept`, what was said before is the server's own, and only what is new is taken.
 */
export function readMessages(
  messages: readonly ChatMessage[],
  { isKept }: { readonly isKept: boolean },
): ReadMessages {
  const begin = messages.findLastIndex(({ role }) => role !== "user") + 1;
  const asked = messages.slice(begin);
  const outputsBegin = messages.findLastIndex(({ role }) => role !== "tool") + 1;
  const preceding: Preceding[] = [];
  let turns: ImportedTurn[] = [];
  const flush = () => {
    if (turns.length > 0) preceding.push({ turns });
    turns = [];
  };
  const names = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    if (isKept && index < begin && message.role !== "system" && message.role !== "developer")
      continue;
    const path = `messages[${index}]`;
    switch (message.role) {
      case "system":
      case "developer":
        if (!isKept) turns.push({ role: "system", text: textOf(message.content) });
        break;
      case "user": {
        const files = filesOf(message.content, `${path}.content`);
        if (files.length > 0) flush();
        preceding.push(...files.map((file) => ({ file })));
        if (index < begin) turns.push({ role: "user", text: textOf(message.content) });
        break;
      }
      case "assistant": {
        const text = textOf(message.content ?? message.refusal ?? "");
        turns.push({ role: "assistant", text });
        for (const [at, { id, function: called }] of (message.tool_calls ?? []).entries()) {
          const params = paramsOf(called.arguments, `${path}.tool_calls[${at}].function.arguments`);
          names.set(id, called.name);
          addCall(turns, { id, name: called.name, params });
        }
        break;
      }
      case "tool": {
        const id = message.tool_call_id;
        const name = names.get(id);
        if (name === undefined) {
          const text = "there is no call with this id in a message before it";
          throw invalidRequest("body", [{ path: `${path}.tool_call_id`, message: text }]);
        }
        addResult(turns, { id, name, output: textOf(message.content) });
        break;
      }
      default:
        message satisfies never;
    }
  }
  flush();
  const texts = asked.map((message) => textOf(message.content ?? ""));
  const outputs = messages.slice(outputsBegin).flatMap((message) => {
    if (message.role !== "tool") return [];
    return [{ callId: message.tool_call_id, output: textOf(message.content) }];
  });
  return {
    preceding,
    question: asked.length === 0 ? undefined : texts.join("\n\n"),
    outputs,
  };
}

function textOf(content: string | readonly ChatPart[]): string {
  if (typeof content === "string") return content;
  return content
    .flatMap((part) => {
      if (part.type === "text") return part.text;
      return part.type === "refusal" ? part.refusal : [];
    })
    .join("\n");
}

function filesOf(content: string | readonly ChatPart[], path: string): InputFile[] {
  if (typeof content === "string") return [];
  return content.flatMap((part, index): InputFile[] => {
    if (part.type === "image_url") {
      const at = `${path}[${index}].image_url.url`;
      return [{ path: at, name: "image", data: requireData(part.image_url.url, at) }];
    }
    if (part.type !== "file") return [];
    const { file_id: fileId, filename: name = "file", file_data: data = "" } = part.file;
    const at = `${path}[${index}].file`;
    if (fileId !== undefined) return [{ path: `${at}.file_id`, name, fileId }];
    return [{ path: `${at}.file_data`, name, data: requireData(data, `${at}.file_data`) }];
  });
}

function requireData(url: string, path: string): string {
  if (url.startsWith("data:")) return url;
  const message = "must be a data: URL: other URLs are not fetched";
  throw invalidRequest("body", [{ path, message }]);
}
