import type { LanguageModelV4FilePart, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelService } from "@parley/schema";
import { isFilePart, type OpenFiles } from "../prompt-files.ts";
import { type FilePart, type ResultPart, type TextPart, textOf } from "../prompt-parts.ts";

/** Where a service takes the files that tools return. */
type PlaceOfResultFiles = "result" | "message after the results" | "nowhere";

/**
 * As the AI SDK's packages send them: the others would send a file in a result as JSON. Mistral's API refuses a
 * user's message between the results and the answer.
 */
const places: Readonly<Record<ModelService, PlaceOfResultFiles>> = {
  openai: "result",
  anthropic: "result",
  xai: "result",
  google_ai_studio: "message after the results",
  openai_compatible: "message after the results",
  fireworks: "message after the results",
  deepseek: "message after the results",
  mistral: "nowhere",
};

/** Whether the models of a provider can be given files that tools return. */
export function takesFilesOfResults(providerId: string): boolean {
  return providerId in places ? places[providerId as ModelService] !== "nowhere" : true;
}

/** How the files of a request are sent. */
export interface SentFiles extends Pick<OpenFiles, "bytesOf"> {
  readonly service: ModelService;
}

/** The form of a text or a file in the AI SDK's messages: bytes, never a URL. */
export function toSentPart(
  part: TextPart | FilePart,
  { bytesOf, service }: SentFiles,
): TextPart | LanguageModelV4FilePart {
  if (!isFilePart(part)) return { type: "text", text: part.text };
  const { name, contentType } = part.file;
  const data = bytesOf(part.file);
  if (data === undefined) return { type: "text", text: `[Deleted: ${JSON.stringify(name)}]` };
  const sent = { type: "file", mediaType: contentType, filename: name } as const;
  // OpenAI's interface requires it of images; `auto` is its default.
  const options = service === "openai" && { providerOptions: { openai: { imageDetail: "auto" } } };
  return { ...sent, data: { type: "data", data }, ...options };
}

type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

/** The results of calls as messages; files are in them or follow, as the service takes them. */
export function toResultMessages(
  results: readonly ResultPart[],
  { files, toSentName }: { files: SentFiles; toSentName: (name: string) => string },
): LanguageModelV4Message[] {
  const isInResult = places[files.service] === "result";
  const content = results.map(({ id, name, output }): ToolResult => {
    const value = output.map((part) => toSentPart(part, files));
    const isText = !isInResult || !output.some(isFilePart);
    return {
      type: "tool-result",
      toolCallId: id,
      toolName: toSentName(name),
      output: isText
        ? { type: "text", value: textOf({ parts: output }) }
        : { type: "content", value },
    };
  });
  const following = isInResult ? [] : results.flatMap(({ output }) => output.filter(isFilePart));
  const messages: LanguageModelV4Message[] = [{ role: "tool", content }];
  if (following.length === 0) return messages;
  const label = { type: "text" as const, text: "<files of the results>" };
  const parts = following.map((part) => toSentPart(part, files));
  return [...messages, { role: "user", content: [label, ...parts] }];
}
