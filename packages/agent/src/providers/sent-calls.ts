/** What services demand of the calls in a request, and the AI SDK's packages leave to their callers. */
import { createHash } from "node:crypto";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelService } from "@parley/schema";

/** Longest id of a call that OpenAI's responses take. */
const MAX_ID = 64;

/** The ids that a service takes: its own, but not always those of the models that answered before. */
const ids: Partial<Record<ModelService, RegExp>> = {
  mistral: /^[a-zA-Z0-9]{9}$/,
  anthropic: /^[a-zA-Z0-9_-]+$/,
};
const ID_CHARACTERS = 9;

/**
 * A prompt whose calls the service takes: no id stands for two calls, as some services count from 0 in
 * each answer; each has the service's form; and Google is given answers that follow
 * each other in one piece, because calls must follow a question or results. The same prompt gives the same ids, and one
 * that continues it too.
 */
export function asServiceTakes(
  service: ModelService,
  prompt: LanguageModelV4Prompt,
): LanguageModelV4Prompt {
  const joined = service === "google_ai_studio" ? joinAnswers(prompt) : prompt;
  const taken = new Set<string>();
  // Of the answer whose results come next.
  let sent = new Map<string, string[]>();
  return joined.map((message): LanguageModelV4Message => {
    if (message.role === "assistant") {
      sent = new Map();
      const content = message.content.map((part) => {
        if (part.type !== "tool-call") return part;
        const toolCallId = freeId(part.toolCallId, taken, ids[service]);
        taken.add(toolCallId);
        sent.getOrInsertComputed(part.toolCallId, () => []).push(toolCallId);
        return toolCallId === part.toolCallId ? part : { ...part, toolCallId };
      });
      return { ...message, content };
    }
    if (message.role !== "tool") return message;
    const content = message.content.map((part) => {
      // Results come in the order of their calls.
      const toolCallId =
        part.type === "tool-result" ? sent.get(part.toolCallId)?.shift() : undefined;
      return toolCallId === undefined ? part : ({ ...part, toolCallId } as typeof part);
    });
    return { ...message, content };
  });
}

function freeId(id: string, taken: ReadonlySet<string>, form = /^[^]+$/): string {
  let free = id;
  for (
    let count = taken.size;
    taken.has(free) || free.length > MAX_ID || !form.test(free);
    count++
  ) {
    const hash = createHash("sha256").update(`${count}:${id}`).digest("base64");
    free = hash.replaceAll(/[^a-zA-Z0-9]/g, "").slice(0, ID_CHARACTERS);
  }
  return free;
}

function joinAnswers(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const joined: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const last = joined.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") {
      joined.splice(-1, 1, { ...last, content: [...last.content, ...message.content] });
    } else joined.push(message);
  }
  return joined;
}
