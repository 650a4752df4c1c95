import { refuseChat, refuseMistral } from "./call-rules.ts";
import {
  bytesOf,
  type Counts,
  fileOf,
  isCorrection,
  type ReadFile,
  requireType,
  type SentStep,
  sinceQuestion,
  split,
  type WireFormat,
} from "./wire-format.ts";

interface Part {
  type?: string;
  text?: string;
  image_url?: string | { url?: string };
  file?: { filename?: string; file_data?: string };
  input_audio?: { data?: string; format?: string };
}

interface Body {
  messages: {
    role: string;
    content?: string | Part[] | null;
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
      files: filesOf(messages),
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
  read: (body) => {
    const { messages } = body as Body;
    for (const [index, { role }] of messages.entries()) {
      if (role === "user" && messages[index - 1]?.role === "tool") {
        throw new Error("Unexpected role 'user' after role 'tool'");
      }
    }
    return chatCompletions.read(body);
  },
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

function filesOf(messages: Body["messages"]): ReadFile[] {
  return messages.flatMap(({ role, content }, index) => {
    if (typeof content === "string") return [];
    const isOfResult = messages[index - 1]?.role === "tool";
    return (content ?? []).flatMap((part): ReadFile[] => {
      const file = fileIn(part);
      if (file !== undefined && role !== "user") throw new Error(`${role} has a file`);
      return file === undefined ? [] : [{ ...file, isOfResult }];
    });
  });
}

function fileIn(part: Part): Omit<ReadFile, "isOfResult"> | undefined {
  switch (part.type) {
    case "text":
    case "thinking":
      return undefined;
    case "image_url": {
      const { image_url: image } = part;
      const file = fileOf(typeof image === "object" ? image.url : image);
      requireType(file, /^image\/(?:jpeg|png|gif|webp)$/);
      return file;
    }
    case "file": {
      const file = fileOf(part.file?.file_data);
      requireType(file, /^application\/pdf$/);
      return { ...file, name: part.file?.filename };
    }
    case "input_audio": {
      const { data, format = "" } = part.input_audio ?? {};
      const contentType = `audio/${format}`;
      requireType({ contentType }, /^audio\/(?:wav|mp3)$/);
      return { contentType, bytes: bytesOf(data) };
    }
    default:
      throw new Error(`Unsupported content type ${String(part.type)}`);
  }
}
