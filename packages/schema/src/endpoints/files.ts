import type { Endpoint } from "../endpoint.ts";
import { CreateFile, FileAnswer, FileParams, UploadQuery } from "../files.ts";
import { WorkspaceParams } from "../params.ts";

const root = "/api/v1/w/{wId}/files";

const sibling = { status: 200, role: "user", tags: ["files"], specified: false } as const;

/** Operations on files. */
export const fileEndpoints = {
  "files.create": {
    ...sibling,
    kind: "json",
    summary: "Announce a file that is going to be uploaded",
    method: "POST",
    path: root,
    params: WorkspaceParams,
    body: CreateFile,
    output: FileAnswer,
    rateLimit: "create",
    errors: ["file_not_found"],
  },
  "files.upload": {
    ...sibling,
    kind: "upload",
    summary: "Upload the bytes of a file that was announced",
    method: "POST",
    path: `${root}/{fileId}`,
    params: FileParams,
    query: UploadQuery,
    output: FileAnswer,
    rateLimit: "create",
    errors: ["file_not_found"],
  },
  "files.get": {
    ...sibling,
    kind: "bytes",
    summary: "Read the bytes of a file",
    method: "GET",
    path: `${root}/{fileId}`,
    params: FileParams,
    rateLimit: "read",
    errors: ["file_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
