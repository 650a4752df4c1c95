import { implementations } from "@parley/core";
import { authorizeWorkspace } from "@parley/rpc";
import { endpoints, HttpInput, parseInput } from "@parley/schema";
import { callEndpoint } from "../requests/call-endpoint.ts";
import type { DoorExchange } from "./door.ts";

/** A file whose bytes are in a request. */
interface GivenFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Whether it is erased with the temporary conversation that it is for. */
  readonly isTemporary?: boolean;
}

/** Stores a file as its caller's upload, by the two steps that uploads have, and gives its id. Throws as they do. */
export async function uploadFile(
  exchange: DoorExchange,
  { name, contentType, bytes, isTemporary = false }: GivenFile,
): Promise<string> {
  const { context } = exchange;
  // The key is of the request that the file is for.
  const own = { context: { ...context, idempotencyKey: undefined } };
  const { file } = await callEndpoint(own, "files.create", {
    body: {
      contentType,
      fileName: name,
      fileSize: bytes.length,
      useCase: isTemporary ? "temporary" : "conversation",
    },
  });
  const wId = context.caller.workspace.sid;
  const authorized = authorizeWorkspace(endpoints["files.upload"], context, wId);
  const signed = Object.fromEntries(new URL(file.uploadUrl).searchParams);
  const params = { wId, fileId: file.sId };
  const raw = new HttpInput({ params, query: signed, body: undefined });
  const input = parseInput(endpoints["files.upload"], raw);
  await implementations["files.upload"](authorized, input, async function* () {
    yield bytes;
  });
  return file.sId;
}
