import type { FileKind, TakenFiles } from "@parley/schema";

const MIB = 1024 * 1024;
/** Bytes of the files of one request: Google refuses requests of 20 MB, in which files are a third longer. */
export const MAX_REQUEST_FILE_BYTES = 13 * MIB;
/** Files of one kind in one request. From 21 images on, Anthropic takes only those of 2,000 pixels on a side. */
const MAX_COUNT = 20;

const images = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** What the kinds are, as far as services have no narrower limits. */
const common: Readonly<Record<FileKind, TakenFiles>> = {
  image: {
    kind: "image",
    contentTypes: images,
    maxBytes: 10 * MIB,
    maxCount: MAX_COUNT,
    maxSidePixels: null,
    maxPages: null,
  },
  pdf: {
    kind: "pdf",
    contentTypes: ["application/pdf"],
    maxBytes: MAX_REQUEST_FILE_BYTES,
    maxCount: 5,
    maxSidePixels: null,
    maxPages: null,
  },
  audio: {
    kind: "audio",
    contentTypes: ["audio/wav", "audio/mpeg"],
    maxBytes: MAX_REQUEST_FILE_BYTES,
    maxCount: 5,
    maxSidePixels: null,
    maxPages: null,
  },
};

interface Limits extends Partial<Omit<TakenFiles, "kind">> {
  /** Where the service says so. */
  readonly source: string;
}

/** Limits of services, by their published documentation; a service without a limit of its own scales what is larger. */
const services: Readonly<Record<string, Partial<Record<FileKind, Limits>>>> = {
  openai: {
    // It scales images.
    image: { source: "https://platform.openai.com/docs/guides/images-vision" },
    // 50 MB a request.
    pdf: { source: "https://platform.openai.com/docs/guides/pdf-files" },
  },
  anthropic: {
    // 5 MB of base64.
    image: {
      maxBytes: 3_900_000,
      maxSidePixels: 8000,
      source: "https://platform.claude.com/docs/en/build-with-claude/vision",
    },
    // Of models with a context of 200,000 tokens; those with more take more.
    pdf: {
      maxPages: 100,
      source: "https://platform.claude.com/docs/en/build-with-claude/pdf-support",
    },
  },
  mistral: {
    // 10 MB each. It scales images.
    image: { maxCount: 8, source: "https://docs.mistral.ai/capabilities/vision" },
  },
  google_ai_studio: {
    // No GIF. It scales images.
    image: {
      contentTypes: ["image/png", "image/jpeg", "image/webp"],
      source: "https://ai.google.dev/gemini-api/docs/image-understanding",
    },
    pdf: { maxPages: 1000, source: "https://ai.google.dev/gemini-api/docs/document-processing" },
  },
  xai: {
    // 20 MiB each, of any number.
    image: {
      contentTypes: ["image/png", "image/jpeg"],
      source: "https://docs.x.ai/docs/guides/image-understanding",
    },
  },
};

/** What a model of a provider takes that takes these kinds of files. */
export function takenFiles(providerId: string, kinds: readonly FileKind[]): TakenFiles[] {
  return kinds.map((kind) => {
    const { source: _page, ...limits } = services[providerId]?.[kind] ?? { source: "" };
    return { ...common[kind], ...limits };
  });
}

/** The kind of a MIME type without parameters; undefined for what no model takes as it is. */
export function fileKindOf(contentType: string): FileKind | undefined {
  if (contentType.startsWith("image/")) return "image";
  if (contentType.startsWith("audio/")) return "audio";
  return contentType === "application/pdf" ? "pdf" : undefined;
}

/** What is known of a file. */
export interface MeasuredFile {
  readonly sizeBytes: number;
  /** Of an image; 0 if its header does not say it. */
  readonly width: number | null;
  readonly height: number | null;
  /** Of a PDF. */
  readonly pages: number | null;
}

/** Why a file is past what a model takes of its kind, as a code and a clause; undefined as far as is known. */
export function beyondLimits(
  { sizeBytes, width, height, pages }: MeasuredFile,
  { maxBytes, maxSidePixels, maxPages }: TakenFiles,
): { code: string; reason: string } | undefined {
  if (sizeBytes > maxBytes) {
    const reason = `it has ${sizeBytes} bytes, and the model takes at most ${maxBytes}`;
    return { code: "file_too_large", reason };
  }
  if (maxSidePixels !== null && width !== null && height !== null) {
    if (width === 0) return { code: "damaged", reason: "its header does not say how large it is" };
    const limit = `the model takes at most ${maxSidePixels} on a side`;
    const reason = `it has ${width} × ${height} pixels, and ${limit}`;
    if (Math.max(width, height) > maxSidePixels) return { code: "image_too_large", reason };
  }
  if (maxPages !== null && pages !== null && pages > maxPages) {
    const reason = `it has ${pages} pages, and the model takes at most ${maxPages}`;
    return { code: "too_many_pages", reason };
  }
  return undefined;
}
