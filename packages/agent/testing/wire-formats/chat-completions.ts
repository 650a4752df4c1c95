import { refuseChat, refuseMistral } from "./call-rules.ts";
import {
  type Counts,
  isCorrection,
  type SentStep,
  sinceQuestion,
  split,
  type WireFormat,
} from "./wire-format.ts";

interface Body {
  messages: {
    role: string;
    content?: string | { text?: string }[] | null;
    tool_calls?: unknown[];
  }[];
  response_format?: {
    type: "json_schema" | "json_object";
    json_schema?: { schema: object; strict: boolean };
  };
}

/** OpenAI's chat completions, which many services support. */
export const chatCompletions: WireFormat = {
  path: /\/chat\/completions$/,
  credential: ["authorization", "Bearer "],
  read: (body) => {
    const { messages, response_format: format } = body as Body;
    const last = (role: string) => textOf(messages.findLast((one) => one.role === role)?.content);
    const turn = sinceQuestion(messages, ({ role, content }) =>
      role === "user" ? textOf(content) : undefined,
    );
    return {
      message: last("user"),
      result: textOf(turn.findLast(({ role }) => role === "tool")?.content),
      step: turn.filter(
        (one) =>
          (one.tool_calls?.length ?? 0) > 0 ||
          (one.role === "user" && isCorrection(textOf(one.content))),
      ).length,
      instructions: last("system"),
      answerFormat: format?.type === "json_object" ? "json" : format?.json_schema?.schema,
    };
  },
  refuseCalls: (body) => refuseChat(body as Parameters<typeof refuseChat>[0]),
  encode: (step) => encode(step, { usage: usageOf(step.counts) }),
  withhold: (frame) => frame.replace('"finish_reason":"stop"', '"finish_reason":"content_filter"'),
  breakOff: (message) =>
    `data: ${JSON.stringify({ error: { message, type: "rate_limit_exceeded", code: null } })}`,
  refuse: (status, message) => ({
    error: { message, type: "error", param: null, code: `${status}` },
  }),
};

/** Mistral's variant: calls come whole, and usage with the finish reason. */
export const mistralChat: WireFormat = {
  ...chatCompletions,
  refuseCalls: (body) => refuseMistral(body as Parameters<typeof refuseMistral>[0]),
  path: /\/mistral\/.*chat\/completions$/,
  encode: (step) => encode(step, { usage: usageOf(step.counts), isWhole: true }),
};

/** DeepSeek's variant: usage has what its cache had, and what it had not. */
export const deepseekChat: WireFormat = {
  ...chatCompletions,
  path: /\/deepseek\/.*chat\/completions$/,
  encode: (step) => {
    const { input, cached = 0 } = step.counts;
    const usage = {
      ...usageOf(step.counts),
      prompt_cache_hit_tokens: cached,
      prompt_cache_miss_tokens: input - cached,
    };
    return encode(step, { usage });
  },
};

function usageOf({ input, output, cached, reasoning }: Counts) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoning },
    }),
  };
}

function encode(
  { model, reasoning, text, toolCalls, step }: SentStep,
  { usage, isWhole = false }: { readonly usage: object; readonly isWhole?: boolean },
): string[] {
  const shared = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model };
  const chunk = (value: object) => `data: ${JSON.stringify({ ...shared, ...value })}`;
  const delta = (value: object, finish: string | null = null, more: object = {}) =>
    chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }], ...more });
  const calls = toolCalls.flatMap(({ name, params }, index) => {
    const whole = JSON.stringify(params);
    const call = (first: string) => ({
      tool_calls: [
        {
          index,
          id: isWhole ? `call${step}0000${index}`.slice(0, 9) : `call_${step}_${index}`,
          type: "function",
          function: { name, arguments: first },
        },
      ],
    });
    if (isWhole) return [delta(call(whole))];
    return [
      delta(call("")),
      ...split(whole, 5).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ];
  });
  const finish = toolCalls.length > 0 ? "tool_calls" : "stop";
  return [
    delta({ role: "assistant", content: "" }),
    ...reasoning.map((piece) => delta({ reasoning_content: piece })),
    ...text.map((piece) => delta({ content: piece })),
    ...calls,
    ...(isWhole
      ? [delta({ content: "" }, finish, { usage })]
      : [delta({}, finish), chunk({ choices: [], usage })]),
    "data: [DONE]",
  ];
}

function textOf(content: Body["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
