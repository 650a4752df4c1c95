import { insertRow, type Queryable, sandboxFunctions, sandboxFunctionVersions } from "@parley/db";
import {
  type CreateSandboxFunction,
  type FunctionIdentity,
  type FunctionStatus,
  invalidRequest,
  type OneAdministeredFunction,
  ParleyError,
  SimulatedBehaviour,
  type SimulatedProgram,
  type StoredProgram,
  type UpdateSandboxFunction,
} from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { FunctionVersionRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { threadOptions } from "../untrusted/threads.ts";
import {
  administeredWorkspace,
  editorOf,
  type Moves,
  moveState,
  requireVersion,
} from "../workspaces/administered-workspace.ts";
import { findSchemaFaults } from "./check-values.ts";
import { type CodeServices, prepareProgram, renderProgram } from "./programs.ts";
import { getSandboxFunction, renderFunction, type SandboxFunction } from "./sandbox-functions.ts";

/** Changes of the state of a function. */
export type FunctionMove = "archive" | "restore";

const moves: Moves<FunctionStatus, FunctionMove> = {
  archive: { active: "archived" },
  restore: { archived: "active" },
};

/** The state that a move leads to. Throws `invalid_request_error` for an impossible move. */
export function moveFunction(status: FunctionStatus, move: FunctionMove): FunctionStatus {
  return moveState("function", { moves, status, move });
}

type FunctionContext = RequestContext & CodeServices;
type NewDefinition = Omit<CreateSandboxFunction, "workspaceId" | "slug">;

/** The program of a function that was created without one. */
const defaultProgram: SimulatedProgram = {
  type: "simulated",
  behaviour: SimulatedBehaviour.parse({}),
};

/** Reads a function by id or slug. Throws `sandbox_function_not_found`. */
export async function readSandboxFunction(
  context: RequestContext,
  input: FunctionIdentity,
): Promise<OneAdministeredFunction> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  return renderAdministered(await readWhole(db, workspace.id, input.functionId));
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
 * Creates a function in its first version. Throws `sandbox_function_already_exists` if the slug
 * is taken, also by an archived function, and `invalid_request_error` for an unusable schema,
 * expression or code.
 */
export async function createSandboxFunction(
  context: FunctionContext,
  input: CreateSandboxFunction,
): Promise<OneAdministeredFunction> {
  const program = await requireUsable(context, input);
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
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
        "slug: the workspace already has a function with this slug (it may be archived)",
      );
    }
    markCreated(identity.sid);
    const values = {
      ...newVersion(context, { ...input, program }),
      functionId: identity.id,
      version: 1,
    };
    const definition = await insertRow(db, sandboxFunctionVersions, values);
    return renderAdministered({ ...identity, definition });
  });
}

/**
 * Gives a function a new version. Members that are left out stay as they are, and earlier invocations
 * end with their own version. Throws `version_conflict` if the function was changed since the named
 * version.
 */
export async function updateSandboxFunction(
  context: FunctionContext,
  input: UpdateSandboxFunction,
): Promise<OneAdministeredFunction> {
  const program = await requireUsable(context, input);
  return changeFunction(context, input, async (db, found) => {
    requireVersion("function", found, input.version);
    const version = found.version + 1;
    const values = {
      ...newVersion(context, { ...input, program }, found.definition),
      functionId: found.id,
      version,
    };
    const definition = await insertRow(db, sandboxFunctionVersions, values);
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

/** Changes a function under a lock. */
async function changeFunction(
  context: RequestContext,
  input: FunctionIdentity,
  change: (db: Queryable, found: SandboxFunction) => Promise<SandboxFunction>,
): Promise<OneAdministeredFunction> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    afterCommit.push({ topic: "functions", workspaceId: workspace.id });
    const { id } = await getSandboxFunction(db, workspace.id, input.functionId);
    const ofFunction = eq(sandboxFunctions.id, id);
    await db
      .select({ id: sandboxFunctions.id })
      .from(sandboxFunctions)
      .where(ofFunction)
      .for("update");
    // Read again under the lock.
    const changed = await change(db, await readWhole(db, workspace.id, input.functionId));
    const updatedAt = context.now();
    const { version, status } = changed;
    await db.update(sandboxFunctions).set({ version, status, updatedAt }).where(ofFunction);
    return renderAdministered({ ...changed, updatedAt });
  });
}

/** A version without its number: members of the input, then of the version before, then defaults. */
function newVersion(
  { caller, now }: RequestContext,
  input: Omit<NewDefinition, "program"> & { readonly program: StoredProgram | undefined },
  before?: FunctionVersionRow,
): Omit<typeof sandboxFunctionVersions.$inferInsert, "functionId" | "version"> {
  return {
    description: input.description ?? before?.description ?? "",
    program: input.program ?? before?.program ?? defaultProgram,
    inputSchema: input.inputSchema ?? before?.inputSchema,
    outputSchema: input.outputSchema ?? before?.outputSchema,
    timeoutMs: input.timeoutMs ?? before?.timeoutMs,
    maxOutputBytes: input.maxOutputBytes ?? before?.maxOutputBytes,
    maxLogLines: input.maxLogLines ?? before?.maxLogLines,
    maxConcurrent: input.maxConcurrent ?? before?.maxConcurrent,
    retryable: input.retryable ?? before?.retryable ?? false,
    requiresApproval: input.requiresApproval ?? before?.requiresApproval,
    editedBy: editorOf(caller),
    createdAt: now(),
  };
}

/**
 * The program of an input as it is stored. Throws `invalid_request_error` for an unusable schema, expression or
 * code. Waits for threads: not for a transaction.
 */
async function requireUsable(
  context: FunctionContext,
  { inputSchema, outputSchema, program }: NewDefinition,
): Promise<StoredProgram | undefined> {
  const options = { ...threadOptions(context), signal: context.signal };
  const ofSchemas = await findSchemaFaults(context, { inputSchema, outputSchema }, options);
  const prepared = program && (await prepareProgram(context, program, options));
  const issues = [
    ...ofSchemas,
    ...(prepared !== undefined && "issues" in prepared ? prepared.issues : []),
  ];
  if (issues.length > 0) throw invalidRequest("body", issues);
  return prepared !== undefined && "program" in prepared ? prepared.program : undefined;
}

function renderAdministered(row: SandboxFunction): OneAdministeredFunction {
  const { status, definition } = row;
  const program = renderProgram(definition.program);
  return { sandboxFunction: { ...renderFunction(row), status, program } };
}
