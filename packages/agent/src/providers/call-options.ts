import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { StepRequest } from "../provider.ts";
import { toModernSchema } from "./modern-schema.ts";
import { createHash } from "node:crypto";

/** Longest tool name that every service accepts; slugs of functions may be longer. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 12;

/** The name of a tool in requests to services: its own, or a shortened one with a hash. */
function toSentName(name: string): string {
  if (name.length <= MAX_CHARACTERS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1)}-${hash}`;
}

/** The tool's own name for one that a service sent; an unknown name stays as it is. */
export function fromSentName(sent: string, tools: readonly { readonly name: string }[]): string {
  return tools.find(({ name }) => toSentName(name) === sent)?.name ?? sent;
}

/** What a step stores for the next one: signatures that some services require back. */
export interface Replay {
  readonly reasoning: readonly {
    readonly text: string;
    readonly options?: SharedV4ProviderOptions | undefined;
  }[];
  /** By the ids of the calls. */
  readonly calls: Readonly<Record<string, SharedV4ProviderOptions>>;
}

const efforts = { none: "none", light: "low", medium: "medium", high: "high" } as const;

/** Converts a step into the AI SDK's options. */
export function toCallOptions(request: StepRequest): LanguageModelV4CallOptions {
  const { temperature, reasoningEffort, tools, traceparent } = request;
  return {
    prompt: toPrompt(request),
    temperature,
    ...(reasoningEffort !== undefined && { reasoning: efforts[reasoningEffort] }),
    ...(tools.length > 0 && { tools: tools.map(toTool), toolChoice: { type: "auto" } }),
    ...(traceparent !== undefined && { headers: { traceparent } }),
    // Parley stores the conversation, so the service need not.
    providerOptions: { openai: { store: false }, xai: { store: false } },
  };
}

function toTool(tool: StepRequest["tools"][number]): LanguageModelV4FunctionTool {
  const { name, description, inputSchema } = tool;
  // Services require an object with properties. Stored schemas are JSON Schema.
  const schema = { properties: {}, ...toModernSchema(inputSchema), type: "object" } as JSONObject;
  return { type: "function", name: toSentName(name), description, inputSchema: schema };
}

function toPrompt({ prompt, finishedSteps, finishedCalls }: StepRequest): LanguageModelV4Prompt {
  const instructions = prompt.filter(({ role, isPinned }) => role === "system" && isPinned);
  const messages = prompt.flatMap(({ role, content, isPinned }): LanguageModelV4Prompt => {
    if (role === "system" && isPinned) return [];
    const text = [{ type: "text" as const, text: content }];
    // Services refuse blank answers, and instructions in the middle.
    if (role !== "assistant") return [{ role: "user", content: text }];
    return content.trim() === "" ? [] : [{ role, content: text }];
  });
  const system = instructions.map(({ content }) => content).join("\n\n");
  return [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...messages,
    ...finishedSteps.flatMap((step) =>
      toMessages(
        step,
        finishedCalls.filter((call) => call.step === step.step),
      ),
    ),
  ];
}

function toMessages(
  { content, replay }: StepRequest["finishedSteps"][number],
  calls: StepRequest["finishedCalls"],
): LanguageModelV4Message[] {
  // As `readStep` wrote it.
  const { reasoning = [], calls: options = {} } = (replay ?? {}) as Partial<Replay>;
  const answer: LanguageModelV4Message = {
    role: "assistant",
    content: [
      ...reasoning.map(({ text, options: providerOptions }) => ({
        type: "reasoning" as const,
        text,
        ...(providerOptions !== undefined && { providerOptions }),
      })),
      ...(content.trim() === "" ? [] : [{ type: "text" as const, text: content }]),
      ...calls.map(({ id, name, params }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: toSentName(name),
        input: params,
        ...(options[id] !== undefined && { providerOptions: options[id] }),
      })),
    ],
  };
  const results = calls.map(({ id, name, output }) => ({
    type: "tool-result" as const,
    toolCallId: id,
    toolName: toSentName(name),
    output: { type: "text" as const, value: output },
  }));
  if (answer.content.length === 0) return [];
  return results.length === 0 ? [answer] : [answer, { role: "tool", content: results }];
}
