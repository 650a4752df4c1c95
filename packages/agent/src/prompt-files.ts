import type { FilePart, PromptFile, PromptMessage, PromptPart } from "./prompt-parts.ts";

/** The bytes of the files of one request, in memory until they are released. */
export interface OpenFiles {
  /** Undefined if the file was deleted in the meantime. */
  bytesOf(file: PromptFile): Uint8Array | undefined;
  release(): void;
}

/** Reads the files of a request; may wait for others to be sent. Throws the reason of the signal. */
export type FileOpener = (files: readonly PromptFile[], signal: AbortSignal) => Promise<OpenFiles>;

/** The files of messages, in their order. */
export function filesOf(messages: readonly Pick<PromptMessage, "parts">[]): PromptFile[] {
  return messages.flatMap(({ parts }) => (parts as readonly PromptPart[]).flatMap(filesOfPart));
}

function filesOfPart(part: PromptPart): PromptFile[] {
  if (part.type === "result") return part.output.flatMap(filesOfPart);
  return isFilePart(part) ? [part.file] : [];
}

/** Whether a part is a file as it is. */
export function isFilePart(part: PromptPart): part is FilePart {
  return part.type === "image" || part.type === "file";
}

/** Services count the tokens of an image by its size: most take less for the largest. */
const IMAGE_TOKENS = 1600;
/** A page of a PDF takes about 50 KB and 2,500 tokens, a second of sound 16 KB and 32 tokens. */
const BYTES_PER_TOKEN = { pdf: 20, other: 400 };
const MIN_FILE_TOKENS = 1000;

/** The tokens that the files of a message are counted with: an estimate, as services count them differently. */
export function tokensOfFiles(message: Pick<PromptMessage, "parts">): number {
  return filesOf([message]).reduce((sum, file) => sum + tokensOfFile(file), 0);
}

/** The tokens that a file is counted with, of this type, in lower case and without parameters. */
export function tokensOfFile({
  contentType,
  sizeBytes,
}: Pick<PromptFile, "contentType" | "sizeBytes">): number {
  if (contentType.startsWith("image/")) return IMAGE_TOKENS;
  const perToken = BYTES_PER_TOKEN[contentType === "application/pdf" ? "pdf" : "other"];
  return Math.max(MIN_FILE_TOKENS, Math.ceil(sizeBytes / perToken));
}

/** Reads each file by itself, without a bound: for requests whose files are few. */
export const openEach: FileOpener = async (files, signal) => {
  const bytes = new Map(
    await Promise.all(files.map(async (file) => [file, await file.read(signal)] as const)),
  );
  return { bytesOf: (file) => bytes.get(file), release: () => bytes.clear() };
};
