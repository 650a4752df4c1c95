import * as z from "zod";
import { WorkspaceParams } from "./params.ts";
import { Reference, ShortText, text } from "./text.ts";

const TOKEN = "[\\w!#$&^.+-]+";
// Without line breaks and what is not ASCII: it becomes a header when the file is read.
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))*$`);
const PRINTABLE = /^[\x20-\x7e]*$/;

const FileName = text(255, 1).refine(
  (name) => !/[/\\\p{Cc}]/u.test(name) && name !== "." && name !== "..",
  { error: "must be a name without a path and without control characters" },
);

/** A MIME type without its parameters, in lower case. */
export function essenceOf(contentType: string): string {
  const [essence = ""] = contentType.split(";", 1);
  return essence.trim().toLowerCase();
}

/** Announces a file that is going to be uploaded. */
export const CreateFile = z.object({
  contentType: text(255)
    .regex(MEDIA_TYPE, { error: "must be a MIME type such as text/plain" })
    .regex(PRINTABLE, { error: "must be printable ASCII" })
    .describe("MIME type of the file"),
  fileName: FileName.describe("Name of the file, without a path"),
  fileSize: z.int().min(1).describe("Size of the file in bytes"),
  useCase: ShortText.min(1).describe("What the file is for, such as conversation; any word"),
});
export type CreateFile = z.output<typeof CreateFile>;

/** A file as the wire shows it. */
export const File = z.object({
  id: z.string().describe("Id of the file, the same as sId"),
  sId: z.string().describe("Id of the file"),
  contentType: z.string().describe("MIME type of the file"),
  fileName: z.string().describe("Name of the file"),
  fileSize: z.int().describe("Size of the file in bytes"),
  status: z.enum(["created", "ready"]).describe("Whether its bytes are there"),
  uploadUrl: z.string().describe("Absolute address that takes the bytes, for an hour"),
  useCase: z.string().describe("What the file is for"),
});
export type File = z.infer<typeof File>;

/** What both steps of an upload answer. */
export const FileAnswer = z.object({ file: File.describe("The file") });
export type FileAnswer = z.infer<typeof FileAnswer>;

export const FileParams = WorkspaceParams.extend({ fileId: Reference.describe("Id of the file") });

/** What the address of an upload carries. */
export const UploadQuery = z.object({
  expires: text(15)
    .regex(/^\d+$/, { error: "must be as in the uploadUrl of the file" })
    .transform(Number)
    .describe("When the address stops to be valid, in milliseconds since the epoch"),
  signature: text(100, 1).describe("Signature of the address"),
});
export type UploadFile = z.output<typeof FileParams> & z.output<typeof UploadQuery>;
