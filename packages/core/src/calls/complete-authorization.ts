/** Users come back from an authorization server. The state is the credential of who comes: it is used once. */
import { toolAuthorizationRequests, tools, users, workspaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, gt, isNull } from "drizzle-orm";
import type { Process } from "../context.ts";
import { recordOfUser } from "../audit/audited-mutations.ts";
import { inTransaction } from "../log/transaction.ts";
import { DOCUMENT_CALLBACK_PATH } from "../tools/client-document.ts";
import { lockAuthorization, partyOf, storeTokens } from "../tools/personal-tokens.ts";
import { refreshServer } from "../tools/refresh-tools.ts";
import { revokeTokens } from "../tools/revoke-tokens.ts";
import { hashOfState, openStarted } from "../tools/tool-authorizations.ts";
import { findConnection } from "../tools/tool-connections.ts";
import { type ToolServices, unreachable } from "../tools/tool-servers.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { resumeWaitingTurns } from "./allowed-calls.ts";

const EXCHANGE_TIMEOUT_MS = 15_000;

type CompletingProcess = Process & SecretServices & ToolServices;

/** What an authorization server sends a browser back with. */
export interface ComingBack {
  /** The path that it is sent to. */
  readonly path: string;
  readonly state: string;
  readonly code: string;
  /** The `iss` of the redirect, if it has one. */
  readonly issuer?: string;
}

/** Who allows what: for a page that asks once more. */
export interface DescribedAuthorization {
  readonly toolName: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly workspaceName: string;
  /** The host of the authorization server's page. */
  readonly serverHost: string;
}

/**
 * What somebody who comes back has begun. Throws `invalid_request_error` for an unknown or old state, one that was
 * begun for another path, and if `iss` is missing that the path needs.
 */
export async function describeToolAuthorization(
  core: CompletingProcess,
  back: Omit<ComingBack, "code">,
): Promise<DescribedAuthorization> {
  const { request, tool, user, workspaceName } = await requireRequest(core, back);
  const { fullName: userName, email: userEmail } = user;
  const { authorizationUrl } = openStarted(core, { ...request, tool });
  const { host: serverHost } = new URL(authorizationUrl);
  return { toolName: tool.name, userName, userEmail, workspaceName, serverHost };
}

/**
 * Exchanges a code for the user who was sent away, and lets the waiting calls continue. Throws
 * `invalid_request_error` as `describeToolAuthorization` does and for a used state, and `tool_unreachable` if the
 * authorization server refuses the code.
 */
export async function completeToolAuthorization(
  core: CompletingProcess,
  back: ComingBack,
  { signal, ...request }: { signal: AbortSignal; clientIp: string; requestId: string },
): Promise<DescribedAuthorization> {
  const { code, issuer } = back;
  const found = await requireRequest(core, back);
  const { request: row, tool, user, workspaceId, workspaceName } = found;
  const { fullName: userName, email: userEmail } = user;
  const stored = await findConnection(core.database.db, tool.id);
  if (stored === undefined) throw unknownState();
  const party = partyOf(core, stored);
  const { authorizationUrl, codeVerifier } = openStarted(core, { ...row, tool });
  const tokens = await core.toolServers.authorization.exchange(party, {
    timeoutMs: EXCHANGE_TIMEOUT_MS,
    signal,
    code,
    codeVerifier,
    redirectUrl: row.redirectUrl,
    ...(issuer !== undefined && { issuer }),
  });
  if ("type" in tokens) throw unreachable(tokens);
  const named = { toolId: tool.id, userId: user.id };
  const isStored = await inTransaction(core, async ({ db, afterCommit }) => {
    await lockAuthorization(db, named);
    const { id } = toolAuthorizationRequests;
    const used = await db.delete(toolAuthorizationRequests).where(eq(id, row.id)).returning({ id });
    // Used by another, or taken back in the meantime.
    if (used.length === 0) return false;
    await storeTokens(core, db, { tool, tokens, userId: user.id });
    await recordOfUser(core, db, {
      action: "toolAuthorizations.complete",
      actor: { id: user.sid, name: user.fullName },
      workspaceId,
      subjectId: tool.sid,
      ...request,
    });
    const resumed = { userId: user.id, toolSid: tool.sid, workspaceId: tool.workspaceId };
    await resumeWaitingTurns(db, resumed, afterCommit);
    return true;
  });
  if (!isStored) {
    await revokeTokens(core, party, { tokens, signal });
    throw unknownState();
  }
  // Some servers say what they offer to those alone who have allowed it. A failure is the connection's fault.
  const asked = { workspaceId: tool.workspaceId, origin: "request", userId: user.id } as const;
  await refreshServer(core, stored, { ...asked, signal }).catch(core.onLateFailure);
  const { host: serverHost } = new URL(authorizationUrl);
  return { toolName: tool.name, userName, userEmail, workspaceName, serverHost };
}

async function requireRequest(
  { database, now }: Process,
  { path, state, issuer }: Omit<ComingBack, "code">,
) {
  const [row] = await database.db
    .select({
      request: toolAuthorizationRequests,
      tool: tools,
      user: users,
      workspaceId: workspaces.sid,
      workspaceName: workspaces.name,
    })
    .from(toolAuthorizationRequests)
    .innerJoin(tools, eq(tools.id, toolAuthorizationRequests.toolId))
    .innerJoin(users, eq(users.id, toolAuthorizationRequests.userId))
    .innerJoin(workspaces, eq(workspaces.id, tools.workspaceId))
    .where(
      and(
        eq(toolAuthorizationRequests.stateHash, hashOfState(state)),
        gt(toolAuthorizationRequests.expiresAt, now()),
        isNull(users.removedAt),
        isNull(workspaces.suspendedAt),
      ),
    );
  if (row?.request.redirectUrl.endsWith(path) !== true) throw unknownState();
  // Anybody may lead users to any server that takes the document: `iss` alone says which of them sent this code.
  if (path === DOCUMENT_CALLBACK_PATH && issuer === undefined) {
    const message = "iss: is missing: the authorization server must identify itself";
    throw new ParleyError("invalid_request_error", message);
  }
  return row;
}

function unknownState(): ParleyError {
  const message = "state: is unknown, already used or expired: start again";
  return new ParleyError("invalid_request_error", message);
}
