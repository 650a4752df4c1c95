import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelService } from "@parley/schema";
import type { StepRequest } from "../provider.ts";
import { toModernSchema } from "./modern-schema.ts";

/** The options that say what the answer must be; none without a format. */
export function addAnswerFormat(
  options: LanguageModelV4CallOptions,
  service: ModelService,
  { answerFormat, tools }: Pick<StepRequest, "answerFormat" | "tools">,
): LanguageModelV4CallOptions {
  if (answerFormat === undefined) return options;
  const { schema, isEnforced } = answerFormat;
  if (!isEnforced) {
    // Its JSON mode knows no schema, and needs the word in the prompt, where the schema is.
    const hasJsonMode = service === "deepseek" && schema["type"] === "object" && tools.length === 0;
    return hasJsonMode ? { ...options, responseFormat: { type: "json" } } : options;
  }
  return {
    ...options,
    responseFormat: { type: "json", name: "answer", schema: toModernSchema(schema) },
    providerOptions: {
      ...options.providerOptions,
      // Else the AI SDK may send a tool in its place, which services do not enforce.
      anthropic: {
        ...options.providerOptions?.["anthropic"],
        structuredOutputMode: "outputFormat",
      },
      mistral: { ...options.providerOptions?.["mistral"], strictJsonSchema: true },
    },
  };
}
