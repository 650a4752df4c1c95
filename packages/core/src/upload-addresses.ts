import { createHmac, timingSafeEqual } from "node:crypto";
import { invalidRequest, type UploadFile } from "@parley/schema";
import type { Context } from "./context.ts";
import type { FileRow } from "./rows.ts";

/** How long an announced file may be uploaded. */
export const UPLOAD_VALID_MS = 60 * 60 * 1000;

/** The absolute address that takes the bytes of a file, signed for an hour from its announcement. */
export async function signUploadUrl(context: Context, file: FileRow): Promise<string> {
  const { publicUrl, caller } = context;
  const wId = caller.workspace.sid;
  const expires = file.createdAt + UPLOAD_VALID_MS;
  const signature = await sign(context, { wId, fileId: file.sid, expires });
  const query = `expires=${expires}&signature=${signature.toString("base64url")}`;
  return `${publicUrl}/api/v1/w/${wId}/files/${file.sid}?${query}`;
}

/** Throws `invalid_request_error` unless the address of an upload is one that was given out. */
export async function requireSigned(context: Context, input: UploadFile): Promise<void> {
  const given = Buffer.from(input.signature, "base64url");
  const expected = await sign(context, input);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const message = "must be the one in the uploadUrl of this file";
    throw invalidRequest("query", [{ path: "signature", message }]);
  }
  if (input.expires <= context.now()) {
    const message = "the uploadUrl is no longer valid: announce the file again";
    throw invalidRequest("query", [{ path: "expires", message }]);
  }
}

async function sign(
  context: Context,
  { wId, fileId, expires }: Pick<UploadFile, "wId" | "fileId" | "expires">,
): Promise<Buffer> {
  const hmac = createHmac("sha256", await context.signingKey());
  return hmac.update(`${wId}\n${fileId}\n${expires}`).digest();
}
