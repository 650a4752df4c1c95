import { providerCredentials, type Queryable } from "@parley/db";
import {
  ParleyError,
  type ProviderCredential,
  type ProviderCredentialIdentity,
  type ProviderCredentialList,
  ModelService,
  type PutProviderCredential,
  type Success,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import type { SecretServices } from "./secret-box.ts";

/** Writes the workspace's credential for a provider; replaces the one before. */
export async function putProviderCredential(
  context: RequestContext & SecretServices,
  input: PutProviderCredential,
): Promise<{ providerCredential: ProviderCredential }> {
  const { secretBox } = context;
  if (secretBox === undefined) {
    const why = "The server cannot store credentials: PARLEY_ENCRYPTION_KEY is not set";
    throw new ParleyError("invalid_request_error", why);
  }
  return inTransaction(context, async ({ db }) => {
    const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
    const { providerId, apiKey } = input;
    const encrypted = secretBox.encrypt(apiKey, placeOf({ workspaceId, providerId }));
    const updatedAt = context.now();
    const [row] = await db
      .insert(providerCredentials)
      .values({ workspaceId, providerId, ...encrypted, createdAt: updatedAt, updatedAt })
      .onConflictDoUpdate({
        target: [providerCredentials.workspaceId, providerCredentials.providerId],
        set: { ...encrypted, updatedAt },
      })
      .returning(shown);
    if (row === undefined) throw new Error("The credential was not written");
    return { providerCredential: render(row) };
  });
}

/** Lists a workspace's credentials, by provider, without their secrets. */
export async function listProviderCredentials(
  context: RequestContext,
  input: { wId: string },
): Promise<ProviderCredentialList> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select(shown)
    .from(providerCredentials)
    .where(eq(providerCredentials.workspaceId, workspace.id))
    .orderBy(asc(providerCredentials.providerId));
  return { providerCredentials: rows.map(render) };
}

/** Removes a credential: model calls that begin later do not use it. */
export async function removeProviderCredential(
  context: RequestContext,
  input: ProviderCredentialIdentity,
): Promise<Success> {
  await inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const removed = await db
      .delete(providerCredentials)
      .where(isOf({ workspaceId: workspace.id, providerId: input.providerId }))
      .returning({ providerId: providerCredentials.providerId });
    if (removed.length > 0) return;
    const what = `The workspace has no credential for ${input.providerId}`;
    throw new ParleyError("provider_credential_not_found", what);
  });
  return { success: true };
}

interface Place {
  readonly workspaceId: number;
  readonly providerId: string;
}

/** A stored secret that the server's keys do not decrypt. */
export class UnreadableSecret extends Error {
  override readonly name = "UnreadableSecret";
}

/**
 * The secret of a workspace's own credential for a provider, if it has one. Throws
 * `UnreadableSecret`.
 */
export async function readProviderSecret(
  { database, secretBox }: Pick<Process, "database"> & SecretServices,
  place: Place,
): Promise<string | undefined> {
  const [row] = await database.db.select().from(providerCredentials).where(isOf(place));
  if (row === undefined) return undefined;
  try {
    if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
    return secretBox.decrypt(row, placeOf(place));
  } catch (cause) {
    throw new UnreadableSecret(`The credential for ${place.providerId} cannot be opened`, {
      cause,
    });
  }
}

/** Deletes the credentials of a workspace that is being deleted. */
export async function deleteProviderCredentials(db: Queryable, workspaceId: number): Promise<void> {
  await db.delete(providerCredentials).where(eq(providerCredentials.workspaceId, workspaceId));
}

const shown = {
  providerId: providerCredentials.providerId,
  keyId: providerCredentials.keyId,
  createdAt: providerCredentials.createdAt,
  updatedAt: providerCredentials.updatedAt,
};

function isOf({ workspaceId, providerId }: Place) {
  return and(
    eq(providerCredentials.workspaceId, workspaceId),
    eq(providerCredentials.providerId, providerId),
  );
}

/** A secret that is copied to another row cannot be decrypted there. */
function placeOf({ workspaceId, providerId }: Place): string {
  return `${workspaceId}/${providerId}`;
}

function render(row: Omit<ProviderCredential, "providerId"> & { providerId: string }) {
  return { ...row, providerId: ModelService.parse(row.providerId) };
}
