import type { ModelService } from "@parley/schema";
import type { OpenFiles } from "../prompt-files.ts";
import type { PromptFile } from "../prompt-parts.ts";

/** The request that was sent to the service of a model for a step. No header of it is known here. */
export interface SentRequest {
  readonly providerId: ModelService;
  readonly modelId: string;
  /** The body as it was sent. */
  readonly body: string;
  /** The files in it, in their order: where their base64 begins and ends. */
  readonly files: readonly SentFile[];
}

interface SentFile {
  readonly file: PromptFile;
  readonly start: number;
  readonly end: number;
}

/** Three bytes are four characters of base64, so bytes up to a multiple of three are encoded alone. */
const GROUP_BYTES = 3;
/** Of the beginning and the end by which a file is known in a body. */
const KNOWN_BYTES = 16 * GROUP_BYTES;

/** Finds the base64 of files in a body, which has them in this order. What a service was sent otherwise is left out. */
export function findSentFiles(
  body: string,
  files: readonly PromptFile[],
  { bytesOf }: Pick<OpenFiles, "bytesOf">,
): SentFile[] {
  const found: SentFile[] = [];
  let from = 0;
  for (const file of files) {
    const bytes = bytesOf(file);
    if (bytes === undefined || bytes.length === 0) continue;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const length = Math.ceil(buffer.length / GROUP_BYTES) * 4;
    const groups = Math.floor(buffer.length / GROUP_BYTES) * GROUP_BYTES;
    const beginning = buffer.subarray(0, KNOWN_BYTES).toString("base64");
    const end = buffer.subarray(Math.max(0, groups - KNOWN_BYTES)).toString("base64");
    for (let at = body.indexOf(beginning, from); at !== -1; at = body.indexOf(beginning, at + 1)) {
      if (!body.startsWith(end, at + length - end.length)) continue;
      found.push({ file, start: at, end: at + length });
      from = at + length;
      break;
    }
  }
  return found;
}
