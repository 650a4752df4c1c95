import { implementations, type ReadUpload } from "@parley/core";
import { authorizeWorkspace, toParleyError } from "@parley/rpc";
import { endpoints, HttpInput, invalidRequest, ParleyError, parseInput } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";
import type { SentFile } from "./sent-message.ts";

/** A file that is uploaded, as a fragment of a conversation. */
export interface UploadedFile {
  readonly title: string;
  readonly fileId: string;
}

/**
 * Uploads the files of a message as others are, and then does `post` with them. If that fails, they are deleted
 * again. Throws like the operations on files, with their places in the request.
 */
export async function withFiles<T>(
  exchange: DoorExchange,
  files: readonly SentFile[],
  post: (uploaded: readonly UploadedFile[]) => Promise<T>,
): Promise<T> {
  const uploaded: UploadedFile[] = [];
  try {
    for (const file of files) {
      uploaded.push(await upload(exchange, file).catch((error: unknown) => refuse(file, error)));
    }
    return await post(uploaded);
  } catch (error) {
    for (const { fileId } of uploaded) {
      // Nobody needs it, and the error says why.
      await callEndpoint(exchange, "files.delete", { params: { fileId } }).catch(() => {});
    }
    throw error;
  }
}

async function upload(
  exchange: DoorExchange,
  { name: fileName, contentType, bytes }: SentFile,
): Promise<UploadedFile> {
  const { context } = exchange;
  const body = { contentType, fileName, fileSize: bytes.length, useCase: "conversation" };
  const { file } = await callEndpoint(exchange, "files.create", { body });
  const endpoint = endpoints["files.upload"];
  const { sid: wId } = context.caller.workspace;
  const params = { wId, fileId: file.sId };
  const query = Object.fromEntries(new URL(file.uploadUrl).searchParams);
  const input = parseInput(endpoint, new HttpInput({ params, query, body: undefined }));
  const read: ReadUpload = async function* () {
    yield bytes;
  };
  await implementations["files.upload"](authorizeWorkspace(endpoint, context, wId), input, read);
  return { title: fileName, fileId: file.sId };
}

/** Names the part of the request that is at fault. */
function refuse({ path }: SentFile, error: unknown): never {
  const { type, status, message, issues } = toParleyError(error);
  if (status !== 400) throw error;
  const why = issues?.[0]?.message ?? message;
  if (type === "invalid_request_error") throw invalidRequest("body", [{ path, message: why }]);
  throw new ParleyError(type, `${path}: ${message}`, { cause: error });
}
