import type { Action, MessageEvent } from "@parley/schema";
import { eventTemplate, type TypedEvent } from "../json-templates.ts";
import { itemIdOf, type ResponsePlace } from "./response-ids.ts";

/** An item of a response's output. */
export type OutputItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** A change of the output as its event, without number and kind of stream. */
export type OutputEvent = TypedEvent;

interface OpenText {
  readonly kind: "msg" | "rs";
  readonly index: number;
  readonly id: string;
  text: string;
  readonly deltaOf: (delta: string) => OutputEvent;
}

type ApprovalEvent = Extract<MessageEvent, { type: "tool_approve_execution" }>;
type OutputRequired = Extract<MessageEvent, { type: "tool_output_required" }>;

const outputText = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

/**
 * The output of a response as it grows: what is written to it returns the protocol's events of it. `firstNumber` is
 * the number of its first item among all items of the answer.
 */
export function createOutput(place: Omit<ResponsePlace, "segment">, firstNumber: number) {
  const items: OutputItem[] = [];
  const calls = new Map<string, number>();
  let open: OpenText | undefined;

  const setItem = (index: number, item: OutputItem): OutputItem => (items[index] = item);
  const add = (item: OutputItem): OutputEvent => {
    items.push(item);
    return { type: "response.output_item.added", output_index: items.length - 1, item };
  };
  const finish = (index: number, changed: object): OutputEvent => {
    const item = setItem(index, { ...items[index]!, ...changed });
    return { type: "response.output_item.done", output_index: index, item };
  };

  function close(): OutputEvent[] {
    if (open === undefined) return [];
    const { kind, index, id, text } = open;
    open = undefined;
    const at = { item_id: id, output_index: index };
    if (kind === "msg") {
      const part = outputText(text);
      const done = { ...at, content_index: 0 };
      return [
        { type: "response.output_text.done", ...done, text, logprobs: [] },
        { type: "response.content_part.done", ...done, part },
        finish(index, { status: "completed", content: [part] }),
      ];
    }
    const part = { type: "summary_text", text };
    const done = { ...at, summary_index: 0 };
    return [
      { type: "response.reasoning_summary_text.done", ...done, text },
      { type: "response.reasoning_summary_part.done", ...done, part },
      finish(index, { summary: [part] }),
    ];
  }

  function begin(kind: OpenText["kind"]): OutputEvent[] {
    const id = itemIdOf(kind, place, firstNumber + items.length);
    const index = items.length;
    const at = { item_id: id, output_index: index };
    const deltaOf =
      kind === "msg"
        ? eventTemplate("response.output_text.delta", (delta) => ({
            ...at,
            content_index: 0,
            delta,
            logprobs: [],
          }))
        : eventTemplate("response.reasoning_summary_text.delta", (delta) => ({
            ...at,
            summary_index: 0,
            delta,
          }));
    open = { kind, index, id, text: "", deltaOf };
    if (kind === "msg") {
      const item = { id, type: "message", status: "in_progress", role: "assistant", content: [] };
      const part = { ...at, content_index: 0, part: outputText("") };
      return [add(item), { type: "response.content_part.added", ...part }];
    }
    const part = { ...at, summary_index: 0, part: { type: "summary_text", text: "" } };
    return [
      add({ id, type: "reasoning", summary: [] }),
      { type: "response.reasoning_summary_part.added", ...part },
    ];
  }

  function write(kind: OpenText["kind"], delta: string): OutputEvent[] {
    const begun = open?.kind === kind ? [] : [...close(), ...begin(kind)];
    open!.text += delta;
    return [...begun, open!.deltaOf(delta)];
  }

  /** A call of a tool of the workspace, which the server runs. */
  function beginCall({ sId, toolName, params, ...action }: Action): OutputEvent[] {
    const closed = close();
    const id = itemIdOf("mcp", place, firstNumber + items.length);
    const output_index = items.length;
    calls.set(sId, output_index);
    const called = JSON.stringify(params);
    const about = { server_label: action.internalMCPServerName ?? "tools", name: toolName };
    const item = { id, type: "mcp_call", ...about, arguments: called, output: null, error: null };
    const at = { item_id: id, output_index };
    return [
      ...closed,
      add({ ...item, status: "in_progress" }),
      { type: "response.mcp_call.in_progress", ...at },
      { type: "response.mcp_call_arguments.done", ...at, arguments: called },
    ];
  }

  /** The result of such a call; of one that began in an earlier response, the call with it. */
  function endCall(action: Action): OutputEvent[] {
    const begun = calls.has(action.sId) ? [] : beginCall(action);
    const output_index = calls.get(action.sId)!;
    const isError = action.status !== "succeeded";
    const output = textOf(action.output);
    const said = isError ? { error: output || action.status } : { output };
    return [
      ...begun,
      {
        type: `response.mcp_call.${isError ? "failed" : "completed"}`,
        item_id: items[output_index]!.id,
        output_index,
      },
      finish(output_index, { ...said, status: isError ? "failed" : "completed" }),
    ];
  }

  /** A call of a tool of the caller: the response ends with it. */
  function requireOutput({ actionId, functionName, inputs }: OutputRequired): OutputEvent[] {
    const closed = close();
    const id = itemIdOf("fc", place, firstNumber + items.length);
    const output_index = items.length;
    const called = JSON.stringify(inputs);
    const item = { id, type: "function_call", call_id: actionId, name: functionName };
    const at = { item_id: id, output_index };
    return [
      ...closed,
      add({ ...item, arguments: "", status: "in_progress" }),
      { type: "response.function_call_arguments.delta", ...at, delta: called },
      {
        type: "response.function_call_arguments.done",
        ...at,
        name: functionName,
        arguments: called,
      },
      finish(output_index, { arguments: called, status: "completed" }),
    ];
  }

  /** A call that waits for approval: the response ends with it. */
  function requestApproval({ actionId, inputs, metadata }: ApprovalEvent): OutputEvent[] {
    const { mcpServerName: server_label, toolName: name } = metadata;
    const item = { id: `mcpr_${actionId}`, type: "mcp_approval_request", server_label, name };
    const index = items.length;
    return [...close(), add({ ...item, arguments: JSON.stringify(inputs) }), finish(index, {})];
  }

  return {
    items: items as readonly OutputItem[],
    close,
    write,
    beginCall,
    endCall,
    requireOutput,
    requestApproval,
  };
}

function textOf(output: Action["output"]): string {
  const parts = (output ?? []) as { readonly type?: string; readonly text?: string }[];
  return parts.map((part) => part.text ?? `[${part.type ?? "content"}]`).join("\n");
}
