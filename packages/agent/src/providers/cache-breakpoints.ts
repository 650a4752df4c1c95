import { createHash } from "node:crypto";
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelService } from "@parley/schema";

/**
 * No service caches a prompt of fewer tokens than this (Anthropic and OpenAI: 1,024, some models more), and a text has
 * hardly more tokens than characters: shorter requests are sent without a word of the cache.
 */
const MIN_CHARACTERS = 1024;
/** Breakpoints that Anthropic takes are four: one is for what all conversations of an agent begin with. */
const MESSAGE_BREAKPOINTS = 3;

/**
 * Services that keep a prompt where requests with the same key are sent. The others need no word: Google and
 * DeepSeek find a prompt that begins like an earlier one by themselves, and a server of one's own may refuse a
 * member that it does not know.
 */
const keyed: ReadonlySet<ModelService> = new Set(["openai", "xai", "fireworks", "mistral"]);

const breakpoint = { cacheControl: { type: "ephemeral" } };

/**
 * Adds to the options of a call what its service needs to find the beginning of the prompt in its cache. `scope` is
 * what requests that begin alike have in common; services are given a hash of it.
 */
export function withCache(
  options: LanguageModelV4CallOptions,
  service: ModelService,
  scope: string | undefined,
): LanguageModelV4CallOptions {
  if (scope === undefined || !isLong(options)) return options;
  if (service === "anthropic") return withBreakpoints(options);
  if (!keyed.has(service)) return options;
  const promptCacheKey = createHash("sha256").update(scope).digest("hex").slice(0, 32);
  const { providerOptions = {} } = options;
  const given = { ...providerOptions[service], promptCacheKey };
  return { ...options, providerOptions: { ...providerOptions, [service]: given } };
}

/**
 * Anthropic caches what ends with a breakpoint, and looks for earlier ones only twenty blocks before it. They stand after
 * the system prompt, or else the tools, and where the newest requests of the conversation ended or end: a request
 * finds what the one before it has written, however many blocks came since.
 */
function withBreakpoints(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options;
  const ends = prompt.flatMap((_message, index) => (endsRequest(prompt, index) ? [index] : []));
  const marked = new Set(ends.slice(-MESSAGE_BREAKPOINTS));
  const hasSystem = prompt[0]?.role === "system";
  if (hasSystem) marked.add(0);
  return {
    ...options,
    prompt: prompt.map((message, index) =>
      marked.has(index) ? { ...message, providerOptions: mark(message) } : message,
    ),
    // Tools come before the system prompt.
    ...(tools !== undefined &&
      !hasSystem && {
        tools: tools.map((tool, index) =>
          tool.type !== "function" || index < tools.length - 1
            ? tool
            : { ...tool, providerOptions: mark(tool) },
        ),
      }),
  };
}

function mark({ providerOptions }: { providerOptions?: SharedV4ProviderOptions }) {
  const given = providerOptions?.["anthropic"];
  return { ...providerOptions, anthropic: { ...given, ...breakpoint } };
}

/** Whether a request ended with this message, or ends: an answer follows it, or nothing. */
function endsRequest(prompt: readonly LanguageModelV4Message[], index: number): boolean {
  const role = prompt[index]?.role;
  const next = prompt[index + 1]?.role ?? "assistant";
  return (role === "user" || role === "tool") && next === "assistant";
}

function isLong({ prompt, tools = [] }: LanguageModelV4CallOptions): boolean {
  let left = MIN_CHARACTERS;
  const reaches = (characters: number) => (left -= characters) <= 0;
  return (
    tools.some((tool) => reaches(JSON.stringify(tool).length)) ||
    prompt.some(({ content }) =>
      typeof content === "string"
        ? reaches(content.length)
        : content.some((part) => reaches(charactersOf(part))),
    )
  );
}

type Part = Exclude<LanguageModelV4Message["content"], string>[number];

function charactersOf(part: Part): number {
  if (part.type === "text" || part.type === "reasoning") return part.text.length;
  if (part.type === "tool-result" && part.output.type === "text") return part.output.value.length;
  // A file, or a result with files, has as many tokens as a long text.
  return part.type === "tool-call" ? 0 : MIN_CHARACTERS;
}
