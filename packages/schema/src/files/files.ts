import * as z from "zod";
import { administer, administered, get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import { ConversationParams, Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, Reference, ShortText, text } from "../parsing/text.ts";

const TOKEN = "[\\w!#$&^.+-]+";
// ASCII without line breaks: it becomes a header of the download.
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))*$`);
const PRINTABLE = /^[\x20-\x7e]*$/;

const FileName = text(255, 1).refine(
  (name) => !/[/\\\p{Cc}]/u.test(name) && name !== "." && name !== "..",
  { error: "must be a name without a path and without control characters" },
);

/** Announces an upload. */
export const CreateFile = z.object({
  contentType: text(255)
    .regex(MEDIA_TYPE, { error: "must be a MIME type such as text/plain" })
    .regex(PRINTABLE, { error: "must be printable ASCII" })
    .describe("MIME type of the file")
    .meta({ example: "text/plain" }),
  fileName: FileName.describe("Name of the file, without a path").meta({ example: "hours.txt" }),
  fileSize: z.int().min(1).describe("Size of the file in bytes").meta({ example: 16 }),
  useCase: ShortText.min(1)
    .describe("What the file is for, such as conversation; any word")
    .meta({ example: "conversation" }),
});
export type CreateFile = z.output<typeof CreateFile>;

/** A file as the wire shows it. */
export const File = z.object({
  id: z.string().describe("Id of the file, the same as sId").meta({ example: "fil_Zk7Qm2Lx9C" }),
  sId: z.string().describe("Id of the file").meta({ example: "fil_Zk7Qm2Lx9C" }),
  contentType: z.string().describe("MIME type of the file").meta({ example: "text/plain" }),
  fileName: z.string().describe("Name of the file").meta({ example: "hours.txt" }),
  fileSize: z.int().describe("Size of the file in bytes").meta({ example: 16 }),
  status: z.enum(["created", "ready"]).describe("Whether its bytes are uploaded"),
  uploadUrl: z.string().describe("Absolute URL to upload the bytes to, valid for an hour").meta({
    example:
      "https://parley.test/api/v1/w/Ab3dE5fG7h/files/fil_Zk7Qm2Lx9C?expires=1780003600000&signature=c2lnbmF0dXJl",
  }),
  useCase: z.string().describe("What the file is for").meta({ example: "conversation" }),
});
export type File = z.infer<typeof File>;

/** Output of both steps of an upload. */
export const FileAnswer = z.object({ file: File.describe("The file") });
export type FileAnswer = z.infer<typeof FileAnswer>;

export const ListFiles = WorkspaceParams.extend(pageByNumber("Files", 50));
export type ListFiles = z.output<typeof ListFiles>;

/** A page of uploads. */
export const FilePage = z.object({
  files: z
    .array(
      File.omit({ uploadUrl: true }).extend({
        createdAt: Milliseconds.describe("When it was announced"),
      }),
    )
    .describe("Uploads, newest first"),
  ...pageEnd,
});
export type FilePage = z.infer<typeof FilePage>;

export const FileParams = WorkspaceParams.extend({
  fileId: Reference.describe("Id of the file").meta({ example: "fil_Zk7Qm2Lx9C" }),
});

const GeneratedPath = text(1024, 1);

/** Query of the bytes of a file that a tool has made. */
export const GeneratedFilePath = z.object({
  filePath: GeneratedPath.describe("The filePath of a generated file").meta({
    example: "conversation/chart.png",
  }),
});

export const GeneratedFileParams = ConversationParams.extend({
  rel: GeneratedPath.describe("The rest of the path: conversation/ and the name of a file").meta({
    example: "conversation/chart.png",
  }),
});

/** Query of an upload URL. */
export const UploadQuery = z.object({
  expires: text(15)
    .regex(/^\d+$/, { error: "must be as in the uploadUrl of the file" })
    .transform(Number)
    .describe("When the URL expires, in milliseconds since the epoch")
    .meta({ example: "1780003600000" }),
  signature: text(100, 1).describe("Signature of the URL").meta({ example: "c2lnbmF0dXJl" }),
});
export type UploadFile = z.output<typeof FileParams> & z.output<typeof UploadQuery>;

const root = "/api/v1/w/{wId}/files";
const shared = { tags: ["files"], errors: ["file_not_found"] } as const;
const ofFile = { ...shared, path: `${root}/{fileId}`, params: FileParams } as const;

const ofGenerated = {
  tags: ["files"],
  path: "/api/v1/w/{wId}/assistant/conversations/{cId}/files",
  params: ConversationParams,
  errors: ["conversation_not_found", "file_not_found"],
} as const;

/** Operations on files. */
export const fileEndpoints = {
  "files.list": {
    ...administer({
      role: "user",
      method: "GET",
      path: `${administered}/files`,
      input: ListFiles,
    }),
    summary: "List the uploads that the key can see: its own, and the files of skills",
    output: FilePage,
  },
  "files.create": {
    ...post,
    ...shared,
    scope: "files:write",
    summary: "Announce a file, before its bytes are uploaded",
    path: root,
    params: WorkspaceParams,
    body: CreateFile,
    errors: ["file_not_found", "file_type_not_supported", "file_too_large"],
    output: FileAnswer,
  },
  "files.upload": {
    ...post,
    ...ofFile,
    kind: "upload",
    scope: "files:write",
    errors: ["file_not_found", "file_type_not_supported"],
    summary: "Upload the bytes of an announced file",
    query: UploadQuery,
    output: FileAnswer.meta({ example: { file: { ...exampleOf(File), status: "ready" } } }),
  },
  "files.get": {
    ...get,
    ...ofFile,
    kind: "download",
    scope: "files:read",
    summary: "Read the bytes of a file",
  },
  "files.getGenerated": {
    ...get,
    ...ofGenerated,
    kind: "download",
    scope: "files:read",
    summary: "Read a file created by a tool, by its filePath",
    query: GeneratedFilePath,
  },
  "files.getByPath": {
    ...get,
    ...ofGenerated,
    kind: "download",
    scope: "files:read",
    summary: "Read a file of a conversation by its path",
    path: `${ofGenerated.path}/{rel}`,
    params: GeneratedFileParams,
  },
  "files.delete": {
    ...get,
    ...ofFile,
    scope: "files:write",
    summary: "Delete a file; fragments that use it stay, without its content",
    method: "DELETE",
    status: 204,
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
