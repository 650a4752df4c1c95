import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { canonicalJson } from "@parley/schema";
import { isPinned, messagesOfSteps } from "../prompt.ts";
import { type PromptMessage, textOf } from "../prompt-parts.ts";
import type { StepRequest } from "../provider.ts";
import { toModernSchema } from "./modern-schema.ts";
import { type SentFiles, toResultMessages, toSentPart } from "./sent-files.ts";
import { createHash } from "node:crypto";

/** Longest tool name that every service accepts; slugs of functions may be longer. */
const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 12;

/** The name of a tool in requests to services: its own, or a shortened one with a hash. */
function toSentName(given: string): string {
  // Models call tools that there are none of; in a later request such a name would be refused for ever.
  const name = given.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "_";
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
export function toCallOptions(request: StepRequest, files: SentFiles): LanguageModelV4CallOptions {
  const { temperature, tools, traceparent, maxOutputTokens, parallelToolCalls } = request;
  const reasoningEffort = effortOf(request, files);
  const parallel = parallelToolCalls === undefined ? {} : { parallelToolCalls };
  return {
    prompt: toPrompt(request, files),
    temperature,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning: efforts[reasoningEffort] }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => toTool(tool, files)),
      toolChoice: toToolChoice(request),
    }),
    ...(traceparent !== undefined && { headers: { traceparent } }),
    // Parley stores the conversation, so the service need not.
    providerOptions: {
      openai: { store: false, ...(tools.length > 0 && parallel) },
      xai: { store: false, ...(tools.length > 0 && parallel) },
      ...(tools.length > 0 &&
        parallelToolCalls !== undefined && {
          mistral: parallel,
          anthropic: { disableParallelToolUse: !parallelToolCalls },
        }),
    },
  };
}

/**
 * The effort of a step. Anthropic refuses a choice of tools together with thinking, and a call without thinking before a
 * step with it: so nothing is thought in a turn whose first call is chosen. Models that always think call what they like.
 */
function effortOf(
  request: StepRequest,
  { service }: Pick<SentFiles, "service">,
): StepRequest["reasoningEffort"] {
  const isChosen = toToolChoice({ ...request, step: 0 }).type !== "auto";
  return service === "anthropic" && isChosen ? "none" : request.reasoningEffort;
}

function toToolChoice({
  toolChoice,
  tools,
  step,
}: Pick<StepRequest, "toolChoice" | "tools" | "step">): LanguageModelV4ToolChoice {
  // A choice for each step would not let the turn end.
  if (toolChoice === undefined || step > 0) return { type: "auto" };
  if (toolChoice === "required") return { type: "required" };
  const { name } = toolChoice;
  // Services refuse the name of a tool that a request does not offer.
  if (!tools.some((tool) => tool.name === name)) return { type: "auto" };
  return { type: "tool", toolName: toSentName(name) };
}

function toTool(
  tool: StepRequest["tools"][number],
  { service }: Pick<SentFiles, "service">,
): LanguageModelV4FunctionTool | LanguageModelV4ProviderTool {
  if (tool.anthropic !== undefined && service === "anthropic") {
    return { type: "provider", id: `anthropic.${tool.anthropic}`, name: tool.name, args: {} };
  }
  const { name, description, inputSchema, strict } = tool;
  // Services require an object with properties. Stored schemas are JSON Schema.
  const schema = { properties: {}, ...toModernSchema(inputSchema), type: "object" } as JSONObject;
  const sent = {
    type: "function",
    name: toSentName(name),
    description,
    inputSchema: schema,
  } as const;
  return strict === undefined ? sent : { ...sent, strict };
}

function toPrompt(
  { prompt, answerFormat, ...steps }: StepRequest,
  files: SentFiles,
): LanguageModelV4Prompt {
  const pinned = prompt.filter(isPinned).map(textOf);
  const system = [...pinned, answerFormat?.instruction ?? []].flat().join("\n\n");
  const messages = prompt.filter((message) => !isPinned(message));
  return [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...[...messages, ...messagesOfSteps(steps)].flatMap((message) => toMessage(message, files)),
  ];
}

function toMessage(message: PromptMessage, files: SentFiles): LanguageModelV4Message[] {
  if (message.role === "assistant") return toAnswer(message);
  if (message.role === "tool") return toResultMessages(message.parts, { files, toSentName });
  // Services refuse instructions in the middle, and blank texts.
  const said = message.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const parts = said.length > 0 ? said : [{ type: "text" as const, text: "(no text)" }];
  return [{ role: "user", content: parts.map((part) => toSentPart(part, files)) }];
}

type AnswerContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

function toAnswer({
  parts,
  replay,
}: Extract<PromptMessage, { role: "assistant" }>): LanguageModelV4Message[] {
  // As `readStep` wrote it.
  const { reasoning = [], calls: options = {} } = (replay ?? {}) as Partial<Replay>;
  const content = [
    ...reasoning.map(({ text, options: providerOptions }) => ({
      type: "reasoning" as const,
      text,
      ...(providerOptions !== undefined && { providerOptions }),
    })),
    ...parts.flatMap((part): AnswerContent => {
      if (part.type === "text") {
        // Services refuse blank answers.
        return part.text.trim() === "" ? [] : [part];
      }
      const { id, name, params } = part;
      const providerOptions = options[id];
      // Stored parameters have lost the order in which the model wrote them: each step sends them in the same.
      const input: unknown = JSON.parse(canonicalJson(params));
      const call = { toolCallId: id, toolName: toSentName(name), input };
      return [
        { type: "tool-call", ...call, ...(providerOptions !== undefined && { providerOptions }) },
      ];
    }),
  ];
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}
