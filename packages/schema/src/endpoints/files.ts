import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import { ConversationParams, Success, WorkspaceParams } from "../params.ts";
import {
  CreateFile,
  File,
  FileAnswer,
  FilePage,
  FileParams,
  GeneratedFilePath,
  GeneratedFileParams,
  ListFiles,
  UploadQuery,
} from "../workspaces/files.ts";
import { administer, administered, get, post } from "./defaults.ts";

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
    summary: "List the uploads that the key reaches: its own, and the files of skills",
    output: FilePage,
  },
  "files.create": {
    ...post,
    ...shared,
    scope: "files:write",
    summary: "Announce a file that is going to be uploaded",
    path: root,
    params: WorkspaceParams,
    body: CreateFile,
    output: FileAnswer,
  },
  "files.upload": {
    ...post,
    ...ofFile,
    kind: "upload",
    scope: "files:write",
    summary: "Upload the bytes of a file that was announced",
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
    summary: "Read a file that a tool has made, by its filePath",
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
    summary: "Delete a file; fragments that use it stay, without its bytes",
    method: "DELETE",
    status: 204,
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
