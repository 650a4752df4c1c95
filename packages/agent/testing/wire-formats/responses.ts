import { refuseResponses } from "./call-rules.ts";
import { refuseReasoning } from "./sampling-rules.ts";
import {
  fileOf,
  isCorrection,
  type ReadFile,
  requireType,
  sinceQuestion,
  split,
  type WireFormat,
} from "./wire-format.ts";

interface Part {
  type?: string;
  text?: string;
  image_url?: string;
  file_data?: string;
  filename?: string;
}

interface Item {
  type?: string;
  role?: string;
  content?: string | Part[];
  output?: string | Part[];
}

const textOf = (content: string | Part[] = "") =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");

function filesOf({ role, content, output }: Item): ReadFile[] {
  const [parts, isOfResult] = output === undefined ? [content, false] : [output, true];
  if (parts === undefined || typeof parts === "string") return [];
  return parts.flatMap((part): ReadFile[] => {
    if (part.type === "input_image") {
      const file = fileOf(part.image_url);
      requireType(file, /^image\/(?:jpeg|png|gif|webp)$/);
      return [{ ...file, isOfResult }];
    }
    if (part.type === "input_file") {
      const file = fileOf(part.file_data);
      requireType(file, /^application\/pdf$/);
      return [{ ...file, name: part.filename, isOfResult }];
    }
    if (part.type === "input_text" || role === "assistant") return [];
    throw new Error(`Unsupported part ${String(part.type)}`);
  });
}

// The service gives no id twice.
let reasonings = 0;

/** OpenAI's responses. */
export const responses: WireFormat = {
  path: /\/responses$/,
  credential: ["authorization", "Bearer "],
  read: (body) => {
    const { input, text } = body as {
      input: Item[];
      text?: { format?: { type: string; schema?: object; strict?: boolean } };
    };
    const last = (...roles: string[]) =>
      textOf(input.findLast((one) => roles.includes(one.role ?? ""))?.content);
    const turn = sinceQuestion(input, (one) =>
      one.role === "user" ? textOf(one.content) : undefined,
    );
    // Adjacent calls were one step.
    const calls = turn.filter(
      (one, index) => one.type === "function_call" && turn[index - 1]?.type !== "function_call",
    );
    return {
      message: last("user"),
      result: textOf(turn.findLast((one) => one.type === "function_call_output")?.output),
      step: calls.length + turn.filter((one) => isCorrection(textOf(one.content))).length,
      instructions: last("system", "developer"),
      files: input.flatMap(filesOf),
      answerFormat: text?.format?.type === "json_object" ? "json" : text?.format?.schema,
    };
  },
  refuseCalls: (body) =>
    refuseReasoning(body as Parameters<typeof refuseReasoning>[0]) ??
    refuseResponses(body as Parameters<typeof refuseResponses>[0]),
  encode: ({ model, reasoning, text, toolCalls, step, counts }) => {
    let sequence = 0;
    let index = 0;
    const event = (type: string, value: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...value })}`;
    const response = { id: "resp_1", object: "response", created_at: 1, model, output: [] };
    const item = (value: object, deltas: string[], done: object = value) => [
      event("response.output_item.added", { output_index: index, item: value }),
      ...deltas,
      event("response.output_item.done", { output_index: index++, item: done }),
    ];
    const frames = [
      event("response.created", { response: { ...response, status: "in_progress" } }),
    ];
    if (reasoning.length > 0) {
      const item_id = `rs_${step}_${reasonings++}`;
      const place = { item_id, output_index: index, summary_index: 0 };
      const summary = [{ type: "summary_text", text: reasoning.join("") }];
      const deltas = [
        event("response.reasoning_summary_part.added", {
          ...place,
          part: { type: "summary_text", text: "" },
        }),
        ...reasoning.map((delta) =>
          event("response.reasoning_summary_text.delta", { ...place, delta }),
        ),
        event("response.reasoning_summary_text.done", { ...place, text: summary[0]?.text }),
        event("response.reasoning_summary_part.done", { ...place, part: summary[0] }),
      ];
      const value = { type: "reasoning", id: item_id, status: "in_progress", summary: [] };
      const encrypted_content = `encrypted_${step}`;
      frames.push(
        ...item(value, deltas, { ...value, status: "completed", summary, encrypted_content }),
      );
    }
    if (text.length > 0) {
      const item_id = `msg_${step}`;
      const place = { item_id, output_index: index, content_index: 0 };
      const part = (content: string) => ({ type: "output_text", text: content, annotations: [] });
      const whole = text.join("");
      const deltas = [
        event("response.content_part.added", { ...place, part: part("") }),
        ...text.map((delta) =>
          event("response.output_text.delta", { ...place, delta, logprobs: [] }),
        ),
        event("response.output_text.done", { ...place, text: whole, logprobs: [] }),
        event("response.content_part.done", { ...place, part: part(whole) }),
      ];
      const value = {
        type: "message",
        id: item_id,
        role: "assistant",
        status: "in_progress",
        content: [],
      };
      frames.push(
        ...item(value, deltas, { ...value, status: "completed", content: [part(whole)] }),
      );
    }
    for (const [position, { name, params }] of toolCalls.entries()) {
      const item_id = `fc_${step}_${position}`;
      const place = { item_id, output_index: index };
      const whole = JSON.stringify(params);
      const deltas = [
        ...split(whole, 5).map((delta) =>
          event("response.function_call_arguments.delta", { ...place, delta }),
        ),
        event("response.function_call_arguments.done", { ...place, name, arguments: whole }),
      ];
      const call_id = `call_${step}_${position}`;
      const value = {
        type: "function_call",
        id: item_id,
        call_id,
        name,
        arguments: "",
        status: "in_progress",
      };
      frames.push(...item(value, deltas, { ...value, status: "completed", arguments: whole }));
    }
    const usage = {
      input_tokens: counts.input,
      input_tokens_details: {
        cached_tokens: counts.cached ?? 0,
        ...(counts.cacheWritten !== undefined && { cache_write_tokens: counts.cacheWritten }),
      },
      output_tokens: counts.output,
      output_tokens_details: { reasoning_tokens: counts.reasoning ?? 0 },
      total_tokens: counts.input + counts.output,
    };
    frames.push(
      event("response.completed", { response: { ...response, status: "completed", usage } }),
    );
    return frames;
  },
  withhold: (frame) =>
    frame
      .replaceAll('"type":"output_text","text":', '"type":"refusal","refusal":')
      .replaceAll("output_text", "refusal")
      .replaceAll(/(?<=response\.refusal\.done.*)"text":/g, '"refusal":'),
  breakOff: (message) => {
    const error = { type: "tokens", code: "rate_limit_exceeded", message, param: null };
    return `event: error\ndata: ${JSON.stringify({ type: "error", sequence_number: 99, error })}`;
  },
  refuse: (status, message) => ({
    error: { message, type: "error", param: null, code: `${status}` },
  }),
};
