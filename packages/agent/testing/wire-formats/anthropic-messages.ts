import { refuseMessages } from "./call-rules.ts";
import { requireAnthropicSizes } from "./file-rules.ts";
import { refuseThinking } from "./sampling-rules.ts";
import {
  bytesOf,
  isCorrection,
  type ReadFile,
  requireType,
  sinceQuestion,
  split,
  type WireFormat,
} from "./wire-format.ts";

interface Block {
  type: string;
  text?: string;
  content?: string | Block[];
  source?: { type?: string; media_type?: string; data?: string };
  title?: string;
}

interface Body {
  system?: string | Block[];
  messages: { role: string; content: string | Block[] }[];
  output_config?: { format?: { type: "json_schema"; schema: object } };
}

/** Anthropic's messages. */
export const anthropicMessages: WireFormat = {
  path: /\/messages$/,
  credential: ["x-api-key", ""],
  read: (body) => {
    const { messages, system, output_config } = body as Body;
    const blocks = messages.flatMap(({ role, content }) =>
      blocksOf(content).map((block) => ({ role, ...block })),
    );
    const asked = blocks.findLast(({ role, type }) => role === "user" && type === "text");
    const turn = sinceQuestion(blocks, ({ role, type, text }) =>
      role === "user" && type === "text" ? text : undefined,
    );
    const files = blocks.flatMap((block) => filesOf(block, false));
    requireAnthropicSizes(files);
    const isCall = (block: Block | undefined) => block?.type === "tool_use";
    return {
      message: asked?.text ?? "",
      result: textOf(turn.findLast(({ type }) => type === "tool_result")?.content),
      // Adjacent calls were one step.
      step: turn.filter(
        (one, index) =>
          (isCall(one) && !isCall(turn[index - 1])) ||
          (one.role === "user" && isCorrection(one.text ?? "")),
      ).length,
      instructions: textOf(system),
      files,
      answerFormat: output_config?.format?.schema,
    };
  },
  refuseCalls: (body) =>
    refuseThinking(body as Parameters<typeof refuseThinking>[0]) ??
    refuseMessages(body as Parameters<typeof refuseMessages>[0]),
  encode: ({ model, reasoning, text, toolCalls, step, counts }) => {
    const { cached = 0, cacheWritten = 0 } = counts;
    const event = (type: string, value: object = {}) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}`;
    let index = 0;
    const block = (content_block: object, deltas: readonly object[]) => [
      event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index: index++ }),
    ];
    const thinking = [
      ...reasoning.map((piece) => ({ type: "thinking_delta", thinking: piece })),
      { type: "signature_delta", signature: `signed_${step}` },
    ];
    return [
      event("message_start", {
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            // Without what the cache has read or written.
            input_tokens: counts.input - cached - cacheWritten,
            cache_read_input_tokens: cached,
            cache_creation_input_tokens: cacheWritten,
            output_tokens: 1,
          },
        },
      }),
      event("ping"),
      ...(reasoning.length > 0
        ? block({ type: "thinking", thinking: "", signature: "" }, thinking)
        : []),
      ...(text.length > 0
        ? block(
            { type: "text", text: "" },
            text.map((piece) => ({ type: "text_delta", text: piece })),
          )
        : []),
      ...toolCalls.flatMap(({ name, params }, position) =>
        block(
          { type: "tool_use", id: `toolu_${step}_${position}`, name, input: {} },
          split(JSON.stringify(params), 5).map((piece) => ({
            type: "input_json_delta",
            partial_json: piece,
          })),
        ),
      ),
      event("message_delta", {
        delta: { stop_reason: toolCalls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
        usage: {
          output_tokens: counts.output,
          ...(counts.reasoning !== undefined && {
            output_tokens_details: { thinking_tokens: counts.reasoning },
          }),
        },
      }),
      event("message_stop"),
    ];
  },
  withhold: (frame) => frame.replace('"end_turn"', '"refusal"'),
  breakOff: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "rate_limit_error", message } })}`,
  refuse: (status, message) => {
    const type = { 429: "rate_limit_error", 529: "overloaded_error" }[status] ?? "api_error";
    return { type: "error", error: { type, message } };
  },
};

const types: Readonly<Record<string, RegExp>> = {
  image: /^image\/(?:jpeg|png|gif|webp)$/,
  document: /^application\/pdf$/,
};

function filesOf(block: Block, isOfResult: boolean): ReadFile[] {
  if (block.type === "tool_result") {
    return blocksOf(block.content ?? "").flatMap((one) => filesOf(one, true));
  }
  const taken = types[block.type];
  if (taken === undefined) return [];
  const { type, media_type: contentType = "", data } = block.source ?? {};
  if (type !== "base64") throw new Error(`source: ${String(type)} is not base64`);
  requireType({ contentType }, taken);
  return [{ contentType, bytes: bytesOf(data), name: block.title, isOfResult }];
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: string | Block[] | undefined): string {
  return blocksOf(content ?? "")
    .map(({ text }) => text ?? "")
    .join("");
}
