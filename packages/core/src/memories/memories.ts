/** What people see and change of what agents remember. */
import {
  memoryFiles,
  memoryScopes,
  type MemoryOrigin,
  memoryVersions,
  type Queryable,
  spaces,
} from "@parley/db";
import {
  invalidRequest,
  type ListMemories,
  MEMORY_BOUNDS,
  type MemoryFile,
  type MemoryIdentity,
  type MemoryPage,
  type MemoryResult,
  type OneMemory,
  type RunMemoryCommand,
  type Success,
  type UpdateMemory,
  type VersionedMemory,
} from "@parley/schema";
import { and, asc, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Caller, RequestContext } from "../context.ts";
import { isAfter, takePage } from "../data-access/pages.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { reservingStorage } from "../storage/reserve-storage.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import {
  mountsOfCaller,
  type ReachedFile,
  reachesMemory,
  renderPlace,
  requireMemory,
} from "./reached-memories.ts";
import { bytesAddedBy, type MemoryAnswer, runMemoryCommands } from "./run-commands.ts";
import { ROOT } from "./paths.ts";
import { writeChange } from "./write-files.ts";

const originOf = (caller: Caller): MemoryOrigin =>
  caller.kind === "workspace" ? { userId: caller.user.sid } : {};

/** An origin as the wire has it. */
export const renderOrigin = (origin: MemoryOrigin) => ({
  conversationId: origin.conversationId ?? null,
  messageId: origin.messageId ?? null,
  actionId: origin.actionId ?? null,
  userId: origin.userId ?? null,
});

function render({
  file,
  scope,
  spaceSid,
}: Pick<ReachedFile, "scope" | "spaceSid"> & {
  readonly file: Omit<ReachedFile["file"], "content">;
}): MemoryFile {
  const { sid: sId, path, bytes, version, createdAt, updatedAt } = file;
  const derivedFrom = [...file.derivedFrom];
  const place = renderPlace(scope, { path, spaceSid });
  return { sId, ...place, bytes, version, derivedFrom, createdAt, updatedAt };
}

/** Texts are read one at a time. */
const { content: _text, ...listedColumns } = getTableColumns(memoryFiles);

/** Lists the files that the caller reaches, the oldest first, a page at a time. */
export async function listMemories(
  context: RequestContext,
  input: ListMemories,
): Promise<MemoryPage> {
  const { caller, database } = context;
  const workspace = await administeredWorkspace(context, database.db, input.wId);
  const { scope, agentId, spaceId } = input;
  const rows = await database.db
    .select({ file: listedColumns, scope: memoryScopes, spaceSid: spaces.sid })
    .from(memoryFiles)
    .innerJoin(memoryScopes, eq(memoryScopes.id, memoryFiles.scopeId))
    .leftJoin(spaces, eq(spaces.id, memoryScopes.spaceId))
    .where(
      and(
        eq(memoryScopes.workspaceId, workspace.id),
        reachesMemory(caller),
        scope && eq(memoryScopes.scope, scope),
        agentId === undefined ? undefined : eq(memoryScopes.agentSid, agentId),
        spaceId === undefined ? undefined : eq(spaces.sid, spaceId),
        isAfter(memoryFiles.id, input),
      ),
    )
    .orderBy(asc(memoryFiles.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ file }) => file.id);
  return { memories: page.map(render), ...end };
}

/** Reads a file with its versions. Throws `memory_not_found`. */
export async function getMemory(
  context: RequestContext,
  { wId, memoryId }: MemoryIdentity,
): Promise<OneMemory> {
  const { caller, database } = context;
  const { db } = database;
  const { id: workspaceId } = await administeredWorkspace(context, db, wId);
  return renderOne(db, await requireMemory(db, { caller, workspaceId, memoryId }));
}

async function renderOne(db: Queryable, found: ReachedFile): Promise<OneMemory> {
  const rows = await db
    .select()
    .from(memoryVersions)
    .where(eq(memoryVersions.fileId, found.file.id))
    .orderBy(desc(memoryVersions.version))
    .limit(MEMORY_BOUNDS.versions);
  const versions = rows.map(({ version, path, content, origin, derivedFrom, createdAt }) => ({
    version,
    path: `${ROOT}/${found.scope.scope}/${path}`,
    content,
    origin: renderOrigin(origin),
    derivedFrom,
    createdAt,
  }));
  return { memory: render(found), content: found.file.content, versions };
}

/**
 * Changes the text of a file, for which its writer vouches from then on. Throws `memory_not_found`, `version_conflict`,
 * `budget_exceeded` if the workspace has no room for a longer one, and `invalid_request_error` if the scope has none.
 */
export async function updateMemory(
  context: RequestContext & StorageServices,
  { wId, memoryId, version, content }: UpdateMemory,
): Promise<OneMemory> {
  const { caller, database } = context;
  const { id: workspaceId } = await administeredWorkspace(context, database.db, wId);
  const named = { caller, workspaceId, memoryId };
  const before = await requireMemory(database.db, named);
  requireVersion("file", before.file, version);
  const work = async ({ db }: Transaction): Promise<OneMemory> => {
    const { file, scope } = await requireMemory(db, { ...named, isLocked: true });
    requireVersion("file", file, version);
    await requireRoomFor(db, file, content);
    const writer = { origin: originOf(caller), sources: [], vouches: true };
    const change = { kind: "write", path: file.path, content } as const;
    await writeChange(context, db, { scopeId: scope.id, change, writer });
    return renderOne(db, await requireMemory(db, named));
  };
  const added = Math.max(0, Buffer.byteLength(content) - before.file.bytes);
  const run = () => inTransaction(context, work);
  return withRoom(context, { added, run, hasStored: () => true });
}

async function requireRoomFor(
  db: Queryable,
  { scopeId, bytes }: ReachedFile["file"],
  content: string,
): Promise<void> {
  const [sums] = await db
    .select({ total: sql<number>`coalesce(sum(${memoryFiles.bytes}), 0)`.mapWith(Number) })
    .from(memoryFiles)
    .where(eq(memoryFiles.scopeId, scopeId));
  const total = (sums?.total ?? 0) - bytes + Buffer.byteLength(content);
  if (total <= MEMORY_BOUNDS.scopeBytes) return;
  const message = `the files would have ${total} bytes together; they may have ${MEMORY_BOUNDS.scopeBytes}`;
  throw invalidRequest("body", [{ path: "content", message }]);
}

/** Erases a file with its versions. Throws `memory_not_found` and `version_conflict`. */
export async function removeMemory(
  context: RequestContext,
  { wId, memoryId, version }: VersionedMemory,
): Promise<Success> {
  const { caller } = context;
  return inTransaction(context, async ({ db }) => {
    const { id: workspaceId } = await administeredWorkspace(context, db, wId);
    const named = { caller, workspaceId, memoryId, isLocked: true };
    const { file } = await requireMemory(db, named);
    requireVersion("file", file, version);
    await db.delete(memoryFiles).where(eq(memoryFiles.id, file.id));
    return { success: true };
  });
}

/**
 * Carries out a command of the tool for the caller: below the scopes of the user, and those that a builder names. A
 * refusal is a result. Throws `agent_not_found` and `space_not_found`.
 */
export async function runMemoryCommand(
  context: RequestContext & StorageServices,
  { wId, agentId, spaceId, ...given }: RunMemoryCommand,
): Promise<MemoryResult> {
  const { caller } = context;
  // The tool knows no null: what is left out is not there.
  const params = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const work = async ({ db, markUnchanged }: Transaction): Promise<MemoryAnswer> => {
    const workspace = await administeredWorkspace(context, db, wId);
    const mounts = await mountsOfCaller(db, { caller, workspace, agentId, spaceId });
    const writer = { origin: originOf(caller), sources: [] };
    const commands = [{ params, writer }];
    const of = { workspaceId: workspace.id, mounts, commands };
    const [answer = { output: "", isError: true }] = await runMemoryCommands(context, db, of);
    if (answer.isChange !== true) markUnchanged();
    return answer;
  };
  const { output, isError } = await withRoom(context, {
    added: bytesAddedBy(params),
    run: () => inTransaction(context, work),
    hasStored: ({ isChange }) => isChange === true,
  });
  return { output, isError };
}

/** What a row takes beside its text. */
const ROW_BYTES = 1024;

/** What may add bytes, and whether it has. */
interface Growing<Done> {
  /** The most that it adds, beside a row. */
  readonly added: number;
  readonly run: () => Promise<Done>;
  readonly hasStored: (done: Done) => boolean;
}

/** Does something with room for what it adds: what makes some, or only shows something, works in a full workspace too. */
async function withRoom<Done>(
  { caller, storage }: RequestContext & StorageServices,
  { added, run, hasStored }: Growing<Done>,
): Promise<Done> {
  if (added === 0 || caller.kind === "operator") return run();
  const bytes = added + ROW_BYTES;
  const done = await reservingStorage({ caller, storage }, bytes, run);
  if (!hasStored(done)) storage.add(caller.workspace.id, -bytes);
  return done;
}

/** Deletes what is remembered in a workspace that is being deleted. */
export async function deleteMemories(db: Queryable, workspaceId: number): Promise<void> {
  await db.delete(memoryScopes).where(eq(memoryScopes.workspaceId, workspaceId));
}
