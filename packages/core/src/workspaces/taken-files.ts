import type { FileKind, TakenFiles } from "@parley/schema";

const MIB = 1024 * 1024;
/** Bytes of the files of one request: Google refuses requests of 20 MB, in which files are a third longer. */
export const MAX_REQUEST_FILE_BYTES = 13 * MIB;
/** Files of one kind in one request. From 21 images on, Anthropic takes only small ones. */
const MAX_COUNT = 20;

const images = ["image/png", "image/jpeg", "image/webp", "image/gif"];
type Rules = Partial<Record<FileKind, Partial<Omit<TakenFiles, "kind">>>>;

/** What the kinds are, as far as services have no narrower limits. */
const common: Readonly<Record<FileKind, TakenFiles>> = {
  image: {
    kind: "image",
    contentTypes: images,
    maxBytes: 10 * MIB,
    maxCount: MAX_COUNT,
  },
  pdf: {
    kind: "pdf",
    contentTypes: ["application/pdf"],
    maxBytes: MAX_REQUEST_FILE_BYTES,
    maxCount: 5,
  },
  audio: {
    kind: "audio",
    contentTypes: ["audio/wav", "audio/mpeg"],
    maxBytes: MAX_REQUEST_FILE_BYTES,
    maxCount: 5,
  },
};

/** Limits of services, by their published documentation. */
const narrower: Readonly<Record<string, Rules>> = {
  // 5 MB of base64: https://docs.claude.com/en/docs/build-with-claude/vision
  anthropic: { image: { maxBytes: 3_900_000 } },
  // https://docs.mistral.ai/capabilities/vision: 10 MB each, 8 images.
  mistral: { image: { maxCount: 8 } },
  // No GIF: https://ai.google.dev/gemini-api/docs/image-understanding
  google_ai_studio: { image: { contentTypes: ["image/png", "image/jpeg", "image/webp"] } },
  // https://docs.x.ai/docs/guides/image-understanding
  xai: { image: { contentTypes: ["image/png", "image/jpeg"] } },
};

/** What a model of a provider takes that takes these kinds of files. */
export function takenFiles(providerId: string, kinds: readonly FileKind[]): TakenFiles[] {
  return kinds.map((kind) => ({ ...common[kind], ...narrower[providerId]?.[kind] }));
}
