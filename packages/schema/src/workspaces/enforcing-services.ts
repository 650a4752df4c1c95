// Which services hold an answer to a JSON Schema by themselves, and with which of its keywords. A keyword is in a row
// only if the row's source says that it is enforced, and the AI SDK sends it on; a schema with any other keyword is
// enforced by this server, which holds the text back until it is valid.

import type { ModelService } from "./model-services.ts";

/** How a service enforces schemas of answers. */
export interface EnforcingService {
  /** Where the service says so. */
  readonly source: string;
  /** Its models that do, if not all. */
  readonly models?: RegExp;
  /** What it enforces besides `always`. */
  readonly keywords: readonly string[];
  /** Values of `format` that it enforces. */
  readonly formats: readonly string[];
  /** Whether each object must say `additionalProperties: false`. */
  readonly closesObjects: boolean;
  /** Whether each property must be required. */
  readonly requiresAll: boolean;
  /** Properties that need not be required, in the whole schema. */
  readonly maxOptional?: number;
  /** Objects within each other. */
  readonly maxNesting?: number;
  /** Values of all `enum`s together, and the characters of a longer one's texts. */
  readonly enums?: { readonly maxValues: number; readonly long: number; readonly maxLong: number };
  /** Whether definitions may refer to themselves. */
  readonly isRecursive: boolean;
  /** Whether it also enforces the schema while the model may call tools. */
  readonly withTools: boolean;
  /** Whether the model must be told the schema: the service only enforces it. */
  readonly isDescribed?: boolean;
}

/** What each of them takes. */
export const always = ["type", "title", "description", "properties", "required", "items"];
export const closing = "additionalProperties";
const definitions = ["$ref", "$defs", "definitions"];

const services: Partial<Record<ModelService, EnforcingService>> = {
  openai: {
    source: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
    // "gpt-4o-mini, gpt-4o-2024-08-06, and later"; fine-tuned models enforce less.
    models: /^(?:gpt-[5-9]|gpt-4\.1|gpt-4o(?!-2024-05-13)|o1(?!-(?:mini|preview))|o[3-9])/,
    keywords: [
      closing,
      ...definitions,
      "enum",
      "const",
      "anyOf",
      "pattern",
      "format",
      "multipleOf",
      "maximum",
      "exclusiveMaximum",
      "minimum",
      "exclusiveMinimum",
      "minItems",
      "maxItems",
    ],
    formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
    closesObjects: true,
    requiresAll: true,
    // Of its limits, a schema of 65,536 characters and 2,000 values can reach these.
    maxNesting: 10,
    enums: { maxValues: 1000, long: 250, maxLong: 15_000 },
    isRecursive: true,
    withTools: true,
  },
  anthropic: {
    source: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
    models: /^claude-(?:opus|sonnet|haiku)-(?:4-[5-9]|[5-9])/,
    // Limits of numbers, texts and lists are sent as descriptions.
    keywords: [closing, ...definitions, "default", "enum", "const", "anyOf", "format"],
    formats: [
      "date-time",
      "time",
      "date",
      "duration",
      "email",
      "hostname",
      "uri",
      "ipv4",
      "ipv6",
      "uuid",
    ],
    closesObjects: true,
    requiresAll: false,
    maxOptional: 24,
    isRecursive: false,
    withTools: true,
  },
  google_ai_studio: {
    source: "https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support",
    models: /^gemini-(?:2\.5|[3-9])/,
    keywords: [
      closing,
      "$ref",
      "$defs",
      "enum",
      "anyOf",
      "format",
      "minimum",
      "maximum",
      "minItems",
      "maxItems",
    ],
    formats: ["date-time", "date", "time"],
    closesObjects: false,
    requiresAll: false,
    isRecursive: false,
    // https://ai.google.dev/gemini-api/docs/function-calling: of these two a request may have one.
    withTools: false,
  },
  mistral: {
    source: "https://docs.mistral.ai/capabilities/structured_output/custom",
    // The page and the release note (resources/release-note/2025-01-28-custom-structured-outputs-for-all-models) promise
    // types and required fields, and name no other keyword; the example closes its objects.
    keywords: [closing],
    formats: [],
    closesObjects: true,
    requiresAll: true,
    isRecursive: false,
    withTools: false,
  },
  fireworks: {
    source: "https://fireworks.ai/docs/structured-responses/structured-response-formatting",
    keywords: [closing, ...definitions, "default", "anyOf"],
    formats: [],
    closesObjects: false,
    requiresAll: false,
    isRecursive: true,
    withTools: false,
    isDescribed: true,
  },
  xai: {
    source: "https://docs.x.ai/developers/model-capabilities/text/structured-outputs",
    models: /^grok-[4-9]/,
    keywords: [closing, "$ref", "$defs", "enum", "const", "anyOf", "format"],
    formats: ["date", "time", "date-time", "email", "uuid", "ipv4"],
    closesObjects: false,
    requiresAll: false,
    isRecursive: false,
    withTools: true,
  },
};

/** A model of a provider. */
export interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

/** The row of a model; undefined if its service enforces no schema. */
export function enforcingService({ providerId, modelId }: Pair): EnforcingService | undefined {
  const service = Object.hasOwn(services, providerId)
    ? services[providerId as ModelService]
    : undefined;
  return service?.models?.test(modelId) === false ? undefined : service;
}
