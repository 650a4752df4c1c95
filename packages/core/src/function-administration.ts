import { type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import {
  type AdministeredFunction,
  type CreateSandboxFunction,
  type FunctionIdentity,
  invalidRequest,
  type OneAdministeredFunction,
  ParleyError,
  SimulatedBehaviour,
  type UpdateSandboxFunction,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { checkBehaviour } from "./check-behaviour.ts";
import { inTransaction, type RequestContext } from "./context.ts";
import { type FunctionMove, moveFunction } from "./function-states.ts";
import { findSchemaFault } from "./json-schemas.ts";
import type { FunctionVersionRow } from "./rows.ts";
import { getSandboxFunction, renderFunction, type SandboxFunction } from "./sandbox-functions.ts";

type Definition = Omit<
  typeof sandboxFunctionVersions.$inferInsert,
  "functionId" | "version" | "editedBy" | "createdAt"
>;
type NewDefinition = Omit<CreateSandboxFunction, "workspaceId" | "slug">;

/** Reads a function by id or slug. Throws `sandbox_function_not_found`. */
export async function readSandboxFunction(
  context: RequestContext,
  input: FunctionIdentity,
): Promise<OneAdministeredFunction> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.workspaceId);
  const found = await readWhole(db, workspace.id, input.functionId);
  return { sandboxFunction: renderAdministered(found) };
}

async function readWhole(
  db: Queryable,
  workspaceId: number,
  idOrSlug: string,
): Promise<SandboxFunction> {
  const { id, version, ...found } = await getSandboxFunction(db, workspaceId, idOrSlug);
  const { functionId, version: ofVersion } = sandboxFunctionVersions;
  const [definition] = await db
    .select()
    .from(sandboxFunctionVersions)
    .where(and(eq(functionId, id), eq(ofVersion, version)));
  if (definition === undefined) throw new Error(`The function ${id} has no version ${version}`);
  return { ...found, id, version, definition };
}

/**
 * Creates a function in its first version. Throws `sandbox_function_already_exists` where the slug
 * is taken, by an archived one too, and `invalid_request_error` for a schema or an expression that cannot be used.
 */
export async function createSandboxFunction(
  context: RequestContext,
  input: CreateSandboxFunction,
): Promise<OneAdministeredFunction> {
  requireUsable(input);
  return inTransaction(context, async ({ db, made }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const createdAt = context.now();
    const [identity] = await db
      .insert(sandboxFunctions)
      .values({
        sid: context.newId("sfn"),
        workspaceId: workspace.id,
        slug: input.slug,
        createdAt,
        updatedAt: createdAt,
      })
      .onConflictDoNothing({ target: [sandboxFunctions.workspaceId, sandboxFunctions.slug] })
      .returning();
    if (identity === undefined) {
      throw new ParleyError(
        "sandbox_function_already_exists",
        "slug: the workspace has a function with this slug, which may be archived",
      );
    }
    made(identity.sid);
    const definition = await insertVersion(context, db, {
      functionId: identity.id,
      version: 1,
      ...definitionOf(input),
    });
    return { sandboxFunction: renderAdministered({ ...identity, definition }) };
  });
}

/**
 * Gives a function a new version; what is left out stays as it is, and invocations that were made
 * before end with the version they were made in. Throws `version_conflict` where the function was
 * changed since the named version.
 */
export async function updateSandboxFunction(
  context: RequestContext,
  input: UpdateSandboxFunction,
): Promise<OneAdministeredFunction> {
  requireUsable(input);
  return changeFunction(context, input, async (db, found) => {
    if (found.version !== input.version) {
      const message = `version: the function was changed since; it is now at version ${found.version}`;
      throw new ParleyError("version_conflict", message);
    }
    const version = found.version + 1;
    const definition = await insertVersion(context, db, {
      functionId: found.id,
      version,
      ...definitionOf(input, found.definition),
    });
    return { ...found, version, definition };
  });
}

/** Archives a function: it cannot be invoked, and its invocations can still be read. */
export const archiveSandboxFunction = mover("archive");
/** Lets an archived function be invoked again. */
export const restoreSandboxFunction = mover("restore");

function mover(move: FunctionMove) {
  return async (
    context: RequestContext,
    input: FunctionIdentity,
  ): Promise<OneAdministeredFunction> =>
    changeFunction(context, input, async (_db, found) => ({
      ...found,
      status: moveFunction(found.status, move),
    }));
}

/** Changes a function, which is locked meanwhile. */
async function changeFunction(
  context: RequestContext,
  input: FunctionIdentity,
  change: (db: Queryable, found: SandboxFunction) => Promise<SandboxFunction>,
): Promise<OneAdministeredFunction> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    afterCommit.push({ topic: "functions" });
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { id } = await getSandboxFunction(db, workspace.id, input.functionId);
    const ofFunction = eq(sandboxFunctions.id, id);
    await db
      .select({ id: sandboxFunctions.id })
      .from(sandboxFunctions)
      .where(ofFunction)
      .for("update");
    // As it is under the lock.
    const found = await readWhole(db, workspace.id, input.functionId);
    const { version, status, definition } = await change(db, found);
    const updatedAt = context.now();
    await db.update(sandboxFunctions).set({ version, status, updatedAt }).where(ofFunction);
    return {
      sandboxFunction: renderAdministered({ ...found, version, status, updatedAt, definition }),
    };
  });
}

async function insertVersion(
  context: RequestContext,
  db: Queryable,
  values: Definition & { functionId: number; version: number },
): Promise<FunctionVersionRow> {
  const { caller } = context;
  const editedBy = caller.kind === "workspace" ? caller.user.id : null;
  const [row] = await db
    .insert(sandboxFunctionVersions)
    .values({ ...values, editedBy, createdAt: context.now() })
    .returning();
  if (row === undefined) throw new Error("The version was not written");
  return row;
}

/** What a version consists of: what was sent, what was before, and the table's defaults. */
function definitionOf(input: NewDefinition, before?: FunctionVersionRow): Definition {
  const {
    description = before?.description ?? "",
    behaviour = before?.behaviour ?? SimulatedBehaviour.parse({}),
    inputSchema = before?.inputSchema,
    outputSchema = before?.outputSchema,
    retryable = before?.retryable ?? false,
  } = input;
  const optional = {
    timeoutMs: input.timeoutMs ?? before?.timeoutMs,
    maxOutputBytes: input.maxOutputBytes ?? before?.maxOutputBytes,
    maxLogLines: input.maxLogLines ?? before?.maxLogLines,
    maxConcurrent: input.maxConcurrent ?? before?.maxConcurrent,
    stake: input.stake ?? before?.stake,
  };
  return { description, behaviour, inputSchema, outputSchema, retryable, ...optional };
}

function requireUsable({ inputSchema, outputSchema, behaviour }: NewDefinition): void {
  const ofSchemas = Object.entries({ inputSchema, outputSchema }).flatMap(([name, schema]) =>
    schema === undefined ? [] : (findSchemaFault(schema, name) ?? []),
  );
  const ofBehaviour = behaviour === undefined ? [] : checkBehaviour(behaviour);
  const issues = [
    ...ofSchemas,
    ...ofBehaviour.map(({ path, message }) => ({ path: `behaviour.${path}`, message })),
  ];
  if (issues.length > 0) throw invalidRequest("body", issues);
}

/** A function as who administers it sees it. */
function renderAdministered(row: SandboxFunction): AdministeredFunction {
  return { ...renderFunction(row), status: row.status, behaviour: row.definition.behaviour };
}
