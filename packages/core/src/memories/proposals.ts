/** Changes of shared memories that wait for a person, because text from outside was read before them. */
import { memoryFiles, memoryProposals, memoryScopes, type Queryable, spaces } from "@parley/db";
import {
  invalidRequest,
  type ListMemoryProposals,
  type MemoryProposalPage,
  ParleyError,
  type ProposalIdentity,
  type Success,
} from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { isAfter, takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { carryOut, type MemoryChange } from "./commands.ts";
import { renderOrigin } from "./memories.ts";
import { MemoryRefusal, ROOT } from "./paths.ts";
import { lockScope, reachesMemory, renderPlace } from "./reached-memories.ts";
import { writeChange } from "./write-files.ts";

/** Lists the changes that the caller may decide, the oldest first, a page at a time. */
export async function listProposals(
  context: RequestContext,
  input: ListMemoryProposals,
): Promise<MemoryProposalPage> {
  const { database } = context;
  const workspace = await administeredWorkspace(context, database.db, input.wId);
  const rows = await selectProposals(database.db)
    .where(and(isReached(context, workspace.id), isAfter(memoryProposals.id, input)))
    .orderBy(asc(memoryProposals.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ proposal }) => proposal.id);
  const proposals = page.map(({ proposal, scope, spaceSid }) => {
    const { sid: sId, change, path, newPath, content, derivedFrom, createdAt } = proposal;
    const place = renderPlace(scope, { path, spaceSid });
    const moved = newPath === null ? null : `${ROOT}/${scope.scope}/${newPath}`;
    const origin = renderOrigin(proposal.origin);
    return { sId, ...place, change, newPath: moved, content, origin, derivedFrom, createdAt };
  });
  return { proposals, ...end };
}

const isReached = ({ caller }: RequestContext, workspaceId: number) =>
  and(eq(memoryScopes.workspaceId, workspaceId), reachesMemory(caller));

function selectProposals(db: Queryable) {
  return db
    .select({ proposal: memoryProposals, scope: memoryScopes, spaceSid: spaces.sid })
    .from(memoryProposals)
    .innerJoin(memoryScopes, eq(memoryScopes.id, memoryProposals.scopeId))
    .leftJoin(spaces, eq(spaces.id, memoryScopes.spaceId));
}

/**
 * Makes a change that waits. Throws `memory_proposal_not_found`, `version_conflict` if its file has changed since, and
 * `invalid_request_error` if it is no longer possible.
 */
export async function approveProposal(
  context: RequestContext,
  input: ProposalIdentity,
): Promise<Success> {
  return decide(context, input, async (db, proposal) => {
    const { scopeId, path, baseVersion, origin, derivedFrom } = proposal;
    const ofFile = and(eq(memoryFiles.scopeId, scopeId), eq(memoryFiles.path, path));
    const [file] = await db
      .select({ version: memoryFiles.version })
      .from(memoryFiles)
      .where(ofFile);
    requireVersion("file", file ?? noFile, baseVersion ?? noFile.version);
    const change = await checkChange(db, proposal);
    await writeChange(context, db, { scopeId, change, writer: { origin, sources: derivedFrom } });
  });
}

/** Drops a change that waits. Throws `memory_proposal_not_found`. */
export async function rejectProposal(
  context: RequestContext,
  input: ProposalIdentity,
): Promise<Success> {
  return decide(context, input, async () => {});
}

/** What there was, or is, where a file is new or gone. */
const noFile = { version: -1 };

type ProposalRow = typeof memoryProposals.$inferSelect;

async function decide(
  context: RequestContext,
  { wId, proposalId }: ProposalIdentity,
  carry: (db: Queryable, proposal: ProposalRow) => Promise<void>,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { id } = await administeredWorkspace(context, db, wId);
    const named = and(isReached(context, id), eq(memoryProposals.sid, proposalId));
    const select = () => selectProposals(db).where(named);
    const [found] = await select();
    if (found !== undefined) await lockScope(db, found.scope.id);
    // Somebody else may have decided while the scope was waited for.
    const [current] = await select();
    if (current === undefined) {
      const message = "proposalId: no such change waits for you";
      throw new ParleyError("memory_proposal_not_found", message);
    }
    await carry(db, current.proposal);
    await db.delete(memoryProposals).where(eq(memoryProposals.id, current.proposal.id));
    return { success: true };
  });
}

/** The change of a proposal, if it is still possible: as a command would make it. */
async function checkChange(db: Queryable, proposal: ProposalRow): Promise<MemoryChange> {
  const { scopeId, change, path, newPath, content, baseVersion } = proposal;
  const rows = await db
    .select({ path: memoryFiles.path, bytes: memoryFiles.bytes })
    .from(memoryFiles)
    .where(eq(memoryFiles.scopeId, scopeId));
  const isRewritten = change === "write" && baseVersion !== null;
  const files = new Map(
    rows
      // A command for a new file has the checks of one that is written as a whole.
      .filter((row) => !(isRewritten && row.path === path))
      .map((row) => [row.path, { bytes: row.bytes, content: "" }]),
  );
  const at = (below: string) => `${ROOT}/here/${below}`;
  const command =
    change === "write"
      ? ({ command: "create", path: at(path), file_text: content ?? "" } as const)
      : change === "remove"
        ? ({ command: "delete", path: at(path) } as const)
        : ({ command: "rename", old_path: at(path), new_path: at(newPath ?? "") } as const);
  try {
    const result = carryOut(new Map([["here", { mayWrite: true, files }]]), command);
    if (result.change !== undefined) return result.change;
  } catch (error) {
    if (!(error instanceof MemoryRefusal)) throw error;
    const message = error.message.replaceAll(`${ROOT}/here/`, "");
    throw invalidRequest("path", [{ path: "proposalId", message }]);
  }
  throw new Error("The change of a proposal is none");
}
