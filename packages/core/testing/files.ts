import type { CreateFile, File, UploadFile } from "@parley/schema";
import type { CoreContext } from "../src/create-core.ts";
import { announceFile } from "../src/files/files.ts";
import { uploadFile } from "../src/files/uploads.ts";

/** Announces a file of `fileSize` bytes. */
export async function announceTestFile(
  context: CoreContext,
  announcement: Partial<CreateFile> & { fileSize: number },
): Promise<File> {
  const usual = { contentType: "text/plain", fileName: "a", useCase: "conversation" };
  return (await announceFile(context, { ...usual, ...announcement })).file;
}

/** The input of a request to the `uploadUrl` of a file. */
export function readTestAddress(context: CoreContext, file: File): UploadFile {
  const { searchParams } = new URL(file.uploadUrl);
  return {
    wId: context.caller.workspace.sid,
    fileId: file.sId,
    expires: Number(searchParams.get("expires")),
    signature: searchParams.get("signature") ?? "",
  };
}

/** Announces and uploads a file. */
export async function uploadTestFile(
  context: CoreContext,
  content: string | Uint8Array,
  announcement: Partial<CreateFile> = {},
): Promise<File> {
  const bytes = Buffer.from(content);
  const file = await announceTestFile(context, { fileSize: bytes.length, ...announcement });
  const uploaded = await uploadFile(context, readTestAddress(context, file), async function* () {
    yield bytes;
  });
  return uploaded.file;
}
