import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type Queryable, serverSecrets } from "@parley/db";
import { invalidRequest, type UploadFile } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import type { FileRow } from "../data-access/rows.ts";

/** What signs upload URLs. */
export interface UploadSigning {
  /** Reads the signing key. */
  readonly signingKey: () => Promise<Uint8Array>;
}

/** How long an upload URL is valid. */
export const UPLOAD_VALID_MS = 60 * 60 * 1000;

/** The absolute upload URL of a file, valid for an hour after the announcement. */
export async function signUploadUrl(
  context: Context & UploadSigning,
  file: FileRow,
): Promise<string> {
  const { publicUrl, caller } = context;
  const wId = caller.workspace.sid;
  const expires = file.createdAt + UPLOAD_VALID_MS;
  const signature = await sign(context, { wId, fileId: file.sid, expires });
  const query = `expires=${expires}&signature=${signature.toString("base64url")}`;
  return `${publicUrl}/api/v1/w/${wId}/files/${file.sid}?${query}`;
}

/** Throws `invalid_request_error` unless the URL of an upload has a valid signature. */
export async function requireSigned(
  context: Context & UploadSigning,
  input: UploadFile,
): Promise<void> {
  const given = Buffer.from(input.signature, "base64url");
  const expected = await sign(context, input);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const message = "must be the one in the file's uploadUrl";
    throw invalidRequest("query", [{ path: "signature", message }]);
  }
  if (input.expires <= context.now()) {
    const message = "the uploadUrl is no longer valid: announce the file again";
    throw invalidRequest("query", [{ path: "expires", message }]);
  }
}

async function sign(
  context: Context & UploadSigning,
  { wId, fileId, expires }: Pick<UploadFile, "wId" | "fileId" | "expires">,
): Promise<Buffer> {
  const hmac = createHmac("sha256", await context.signingKey());
  return hmac.update(`${wId}\n${fileId}\n${expires}`).digest();
}

/** The secret's name in the database. */
const SECRET_NAME = "upload addresses";

/**
 * Reads the key that signs upload URLs. The first read creates it; all processes on a database share it.
 * Not for use in a transaction.
 */
export function createSigningKey(db: Queryable): () => Promise<Uint8Array> {
  let known: Promise<Uint8Array> | undefined;
  const read = async (): Promise<Uint8Array> => {
    const value = randomBytes(32).toString("base64");
    await db.insert(serverSecrets).values({ name: SECRET_NAME, value }).onConflictDoNothing();
    const [row] = await db.select().from(serverSecrets).where(eq(serverSecrets.name, SECRET_NAME));
    if (row === undefined) throw new Error("The signing key was not written");
    return Buffer.from(row.value, "base64");
  };
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
