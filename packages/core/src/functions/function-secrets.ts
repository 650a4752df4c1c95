/** Secrets of a workspace that programs name. Nobody reads them back: programs use them. */
import { functionSecrets, type Queryable } from "@parley/db";
import {
  type FunctionSecret,
  type FunctionSecretIdentity,
  invalidRequest,
  ParleyError,
  type PutFunctionSecret,
  type Success,
} from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";

const MAX_SECRETS = 100;

interface Place {
  readonly workspaceId: number;
  readonly name: string;
}

/** A secret that is copied to another row cannot be decrypted there. */
const placeOf = ({ workspaceId, name }: Place): string => `function/${workspaceId}/${name}`;

const shown = {
  id: functionSecrets.id,
  name: functionSecrets.name,
  createdAt: functionSecrets.createdAt,
  updatedAt: functionSecrets.updatedAt,
};

/**
 * Writes a secret; replaces the one before, also for functions that name it already. Throws
 * `invalid_request_error` if the server keeps no secrets, or the workspace has too many.
 */
export async function putFunctionSecret(
  context: RequestContext & SecretServices,
  input: PutFunctionSecret,
): Promise<{ functionSecret: FunctionSecret }> {
  const { secretBox } = context;
  if (secretBox === undefined) {
    const why = "The server cannot store secrets: PARLEY_ENCRYPTION_KEY is not set";
    throw new ParleyError("invalid_request_error", why);
  }
  return inTransaction(context, async ({ db, markCreated }) => {
    const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
    const { name, value } = input;
    const encrypted = secretBox.encrypt(value, placeOf({ workspaceId, name }));
    const updatedAt = context.now();
    const [functionSecret] = await db
      .insert(functionSecrets)
      .values({ workspaceId, name, ...encrypted, createdAt: updatedAt, updatedAt })
      .onConflictDoUpdate({
        target: [functionSecrets.workspaceId, functionSecrets.name],
        set: { ...encrypted, updatedAt },
      })
      .returning(shown);
    if (functionSecret === undefined) throw new Error("The secret was not written");
    markCreated(String(functionSecret.id));
    const ofWorkspace = eq(functionSecrets.workspaceId, workspaceId);
    if ((await db.$count(functionSecrets, ofWorkspace)) > MAX_SECRETS) {
      const message = `a workspace may have ${MAX_SECRETS} secrets`;
      throw invalidRequest("path", [{ path: "name", message }]);
    }
    return { functionSecret };
  });
}

/** Lists a workspace's secrets, by name, without their values. */
export async function listFunctionSecrets(
  context: RequestContext,
  input: { wId: string },
): Promise<{ functionSecrets: FunctionSecret[] }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select(shown)
    .from(functionSecrets)
    .where(eq(functionSecrets.workspaceId, workspace.id))
    .orderBy(asc(functionSecrets.name));
  return { functionSecrets: rows };
}

/** Removes a secret: invocations that begin later do not have it. Throws `sandbox_function_secret_not_found`. */
export async function removeFunctionSecret(
  context: RequestContext,
  input: FunctionSecretIdentity,
): Promise<Success> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const { id } = await administeredWorkspace(context, db, input.wId);
    const { workspaceId, name } = functionSecrets;
    const [removed] = await db
      .delete(functionSecrets)
      .where(and(eq(workspaceId, id), eq(name, input.name)))
      .returning({ id: functionSecrets.id });
    if (removed === undefined) {
      const message = "name: the workspace has no such secret";
      throw new ParleyError("sandbox_function_secret_not_found", message);
    }
    markCreated(String(removed.id));
    return { success: true };
  });
}

/**
 * The values of those of a workspace's secrets that these names are of. Throws if one of them cannot be
 * decrypted by the server's keys.
 */
export async function readFunctionSecrets(
  { database, secretBox }: Pick<Process, "database"> & SecretServices,
  workspaceId: number,
  names: readonly string[],
): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const rows = await database.db
    .select()
    .from(functionSecrets)
    .where(
      and(eq(functionSecrets.workspaceId, workspaceId), inArray(functionSecrets.name, [...names])),
    );
  return Object.fromEntries(
    rows.map((row) => {
      if (secretBox === undefined) throw new Error("PARLEY_ENCRYPTION_KEY is not set");
      return [row.name, secretBox.decrypt(row, placeOf(row))];
    }),
  );
}

/** Deletes the secrets of a workspace that is being deleted. */
export async function deleteFunctionSecrets(db: Queryable, workspaceId: number): Promise<void> {
  await db.delete(functionSecrets).where(eq(functionSecrets.workspaceId, workspaceId));
}
