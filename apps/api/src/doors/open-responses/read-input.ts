import { type ImportedTurn, type InputItem, type InputPart, invalidRequest } from "@parley/schema";
import type { InputFile, Preceding } from "../fragments.ts";
import { addCall, addResult, paramsOf } from "../imported-turns.ts";
import { turnsOfCompaction } from "./compaction-content.ts";
import { parseItemId } from "./response-ids.ts";

/** The output of a call of one of the caller's tools. */
export interface CallOutput {
  readonly path: string;
  readonly callId: string;
  readonly parts: string | readonly InputPart[];
}

/** A decision about a call that waits for approval. */
export interface Decision {
  readonly path: string;
  readonly requestId: string;
  readonly isApproved: boolean;
}

/** The items of an input by what they are for. */
export interface ReadInput {
  readonly preceding: readonly Preceding[];
  /** The user's message; undefined if the input has none after the last answer or output. */
  readonly question: string | undefined;
  readonly outputs: readonly CallOutput[];
  readonly decisions: readonly Decision[];
}

/**
 * Sorts the items of an input. The last user's messages are the question; what stands before it was said elsewhere. With
 * `continues`, outputs of its calls are sent to the answer that is continued; others are of calls among the items. Throws `invalid_request_error` for outputs of no call.
 */
export function readInput(
  input: string | readonly InputItem[],
  { continues }: { readonly continues: { readonly messageId: string } | undefined },
): ReadInput {
  const items: readonly InputItem[] =
    typeof input === "string"
      ? [{ role: "user", content: input, id: undefined, status: undefined }]
      : input;
  const begin = items.findLastIndex((item) => !isUsers(item)) + 1;
  const preceding: Preceding[] = [];
  const outputs: CallOutput[] = [];
  const decisions: Decision[] = [];
  const names = new Map<string, string>();
  let turns: ImportedTurn[] = [];
  const flush = () => {
    if (turns.length > 0) preceding.push({ turns });
    turns = [];
  };
  const addFiles = (parts: string | readonly InputPart[], path: string) => {
    const files = filesOf(parts, path);
    if (files.length === 0) return;
    flush();
    preceding.push(...files.map((file) => ({ file })));
  };

  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    if ("role" in item) {
      const text = textOf(item.content);
      if (item.role === "user") {
        addFiles(item.content, `${path}.content`);
        if (index < begin) turns.push({ role: "user", text });
      } else if (item.role === "assistant") turns.push({ role: "assistant", text });
      else turns.push({ role: "system", text });
      continue;
    }
    switch (item.type) {
      case "function_call": {
        // Its output is for the answer that waits for it, which takes it once.
        const isOfAnswer = parseItemId(item.id ?? "")?.messageId === continues?.messageId;
        if (continues !== undefined && isOfAnswer) break;
        names.set(item.call_id, item.name);
        const call = {
          id: item.call_id,
          name: item.name,
          params: paramsOf(item.arguments, `${path}.arguments`),
        };
        addCall(turns, call);
        break;
      }
      case "function_call_output": {
        const name = names.get(item.call_id);
        if (name === undefined && continues !== undefined) {
          outputs.push({ path, callId: item.call_id, parts: item.output });
          break;
        }
        if (name === undefined) {
          const message = "there is no function_call with this call_id before it";
          throw invalidRequest("body", [{ path: `${path}.call_id`, message }]);
        }
        const output = textOf(item.output);
        addResult(turns, { id: item.call_id, name, output });
        break;
      }
      case "mcp_call": {
        const id = item.id ?? `call_${index}`;
        const params = paramsOf(item.arguments, `${path}.arguments`);
        addCall(turns, { id: id.slice(0, 64), name: item.name.slice(0, 64), params });
        const output = item.output ?? item.error ?? "";
        addResult(turns, { id: id.slice(0, 64), name: item.name.slice(0, 64), output });
        break;
      }
      case "mcp_approval_response":
        decisions.push({
          path,
          requestId: item.approval_request_id,
          isApproved: item.approve,
        });
        break;
      case "compaction":
        turns.push(...turnsOfCompaction(item.encrypted_content, `${path}.encrypted_content`));
        break;
      case "item_reference":
      case "reasoning":
      case "mcp_approval_request":
        // References are resolved before. Services get their own reasoning back; requests are answered by responses.
        break;
      default:
        item satisfies never;
    }
  }
  flush();
  const asked = items.slice(begin).filter(isUsers);
  const texts = asked.map((item) => textOf(item.content));
  const question = asked.length === 0 ? undefined : texts.join("\n\n");
  return { preceding, question, outputs, decisions };
}

function isUsers(item: InputItem): item is Extract<InputItem, { role: "user" }> {
  return "role" in item && item.role === "user";
}

type Content = Extract<InputItem, { role: string }>["content"];

/** The text of an item's content. */
export function textOf(content: Content | string | readonly InputPart[]): string {
  if (typeof content === "string") return content;
  return content
    .flatMap((part) => {
      if (part.type === "input_text" || part.type === "output_text") return part.text;
      return part.type === "refusal" ? part.refusal : [];
    })
    .join("\n");
}

function filesOf(content: string | readonly InputPart[], path: string): InputFile[] {
  if (typeof content === "string") return [];
  return content.flatMap((part, index): InputFile[] => {
    const at = `${path}[${index}]`;
    if (part.type === "input_image") {
      return [
        toFile(at, { id: part.file_id, data: part.image_url, member: "image_url", name: "image" }),
      ];
    }
    if (part.type === "input_file") {
      const name = part.filename ?? "file";
      return [toFile(at, { id: part.file_id, data: part.file_data, member: "file_data", name })];
    }
    return [];
  });
}

function toFile(
  path: string,
  given: { id: string | undefined; data: string | undefined; member: string; name: string },
): InputFile {
  const { id: fileId, data, member, name } = given;
  if (fileId !== undefined) return { path: `${path}.file_id`, fileId, name };
  if (data?.startsWith("data:") === true) return { path: `${path}.${member}`, data, name };
  const message =
    "must be a data: URL, or file_id must name an uploaded file: URLs are not fetched";
  throw invalidRequest("body", [{ path: `${path}.${member}`, message }]);
}
