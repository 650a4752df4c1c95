import type { CreateFile, File, UploadFile } from "@parley/schema";
import type { Context } from "./context.ts";
import { announceFile } from "./files.ts";
import { uploadFile } from "./uploads.ts";

/** Announces a file of `fileSize` bytes. */
export async function announceTestFile(
  context: Context,
  announcement: Partial<CreateFile> & { fileSize: number },
): Promise<File> {
  const usual = { contentType: "text/plain", fileName: "a", useCase: "conversation" };
  return (await announceFile(context, { ...usual, ...announcement })).file;
}

/** What a request to the `uploadUrl` of a file says. */
export function readTestAddress(context: Context, file: File): UploadFile {
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
  context: Context,
  content: string,
  announcement: Partial<CreateFile> = {},
): Promise<File> {
  const bytes = Buffer.from(content);
  const file = await announceTestFile(context, { fileSize: bytes.length, ...announcement });
  const uploaded = await uploadFile(context, readTestAddress(context, file), async function* () {
    yield bytes;
  });
  return uploaded.file;
}
