import type { File as FileOfParley } from "@parley/schema";
import { callEndpoint, type Caller, sendForm } from "./call-endpoint.ts";
import type { CallOptions, Output } from "./methods.ts";

/** Content of a file. */
export type FileContent = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | string;

/** A file to upload: a new one, or the content of one that `files.create` announced. */
export type UploadFile = { readonly content: FileContent } & (
  | {
      readonly fileName: string;
      /** MIME type; that of the content by default. */
      readonly contentType?: string | undefined;
      /** What the file is for; `conversation` by default. */
      readonly useCase?: string | undefined;
    }
  | { readonly file: FileOfParley }
);

/** A file that was uploaded. */
export type UploadedFile = Output<"files.upload">;

/** Announces a file, unless that is done, and uploads its content. */
export async function uploadFile(
  caller: Caller,
  input: UploadFile,
  options: CallOptions = {},
): Promise<UploadedFile> {
  const content = toBlob(input.content);
  const file = "file" in input ? input.file : await announce(caller, input, { content, options });
  // Bytes and texts have no type of their own: they are sent with the announced one, which the server compares.
  const typed =
    input.content instanceof Blob ? content : content.slice(0, content.size, file.contentType);
  const form = new FormData();
  form.append("file", typed, file.fileName);
  // Only the query: the key goes to the client's own server, whatever URL the server gave itself.
  const { search } = new URL(file.uploadUrl);
  const call = { name: "files.upload", input: { fileId: file.sId }, options } as const;
  return (await sendForm(caller, { ...call, form, query: search })) as UploadedFile;
}

async function announce(
  caller: Caller,
  { fileName, contentType, useCase = "conversation" }: Exclude<UploadFile, { file: FileOfParley }>,
  { content, options }: { content: Blob; options: CallOptions },
): Promise<FileOfParley> {
  const type = contentType ?? (content.type || "application/octet-stream");
  const input = { contentType: type, fileName, fileSize: content.size, useCase };
  const answer = await callEndpoint(caller, { name: "files.create", input, options });
  return (answer as Output<"files.create">).file;
}

/** The content as a form carries it. */
export function toBlob(content: FileContent): Blob {
  if (content instanceof Blob) return content;
  return new Blob([content], typeof content === "string" ? { type: "text/plain" } : {});
}
