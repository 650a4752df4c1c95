import * as z from "zod";
import { ModelService } from "./model-services.ts";

/** The services whose models make vectors by OpenAI's interface, with its URL; of your own server, a setting has it. */
export const embeddingServices = {
  openai: "https://api.openai.com/v1",
  mistral: "https://api.mistral.ai/v1",
  fireworks: "https://api.fireworks.ai/inference/v1",
  openai_compatible: null,
} as const satisfies Partial<Record<ModelService, string | null>>;

export const EmbeddingService = ModelService.extract([
  "openai",
  "mistral",
  "fireworks",
  "openai_compatible",
]);
export type EmbeddingService = z.infer<typeof EmbeddingService>;

/** Bounds of the dimensions of a vector: fewer say little, and more are not indexed. */
export const EMBEDDING_DIMENSIONS = { least: 8, most: 4000 } as const;
