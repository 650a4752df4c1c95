import {
  acceptedTypeOf,
  acceptedTypes,
  contentFault,
  type CreateFile,
  essenceOf,
  type ErrorType,
  ParleyError,
} from "@parley/schema";

/** How large files may be. */
export interface FileLimits {
  /** Bytes of one file, whatever its type. */
  readonly fileBytes: number;
}

const everyType = acceptedTypes.flatMap(({ types }) => types).join(", ");

/** Throws `file_type_not_supported` and `file_too_large` for files that are not accepted. */
export function requireAccepted(
  { contentType, fileSize }: Pick<CreateFile, "contentType" | "fileSize">,
  { fileBytes }: FileLimits,
): void {
  const row = acceptedTypeOf(contentType);
  const essence = essenceOf(contentType);
  if (row === undefined) {
    const message = `must be one of ${everyType}, not ${essence}; application/octet-stream stores any file`;
    throw refusal("file_type_not_supported", { path: "contentType", message });
  }
  const maxBytes = Math.min(fileBytes, row.maxBytes ?? fileBytes);
  if (fileSize <= maxBytes) return;
  const message = `must be at most ${maxBytes} bytes for files of type ${essence}`;
  throw refusal("file_too_large", { path: "fileSize", message });
}

/** Throws `file_type_not_supported` for content that is not of the announced type. */
export function requireContent(
  file: { readonly contentType: string; readonly fileName: string },
  beginning: Uint8Array,
): void {
  const message = contentFault(file, beginning);
  if (message === undefined) return;
  throw refusal("file_type_not_supported", { path: "file", message });
}

function refusal(
  type: ErrorType,
  issue: { readonly path: string; readonly message: string },
): ParleyError {
  const message = `Invalid request body: ${issue.path}: ${issue.message}`;
  return new ParleyError(type, message, { issues: [issue] });
}
