import type { Caller } from "@parley/core";

/**
 * The key whose calls are counted, and its workspace, whose keys are counted together too. Calls with a
 * user's token count for the user as well.
 */
export interface Payer {
  readonly keyId: string;
  /** The user of a token; its calls under each key are counted apart. */
  readonly userId?: string | undefined;
  /** None for an operator's key. */
  readonly workspaceId: string | undefined;
}

/** Public id of the workspace of a key; none for an operator's. */
export function workspaceIdOf(caller: Caller): string | undefined {
  return caller.kind === "workspace" ? caller.workspace.sid : undefined;
}

/** Public id of the user of a token. */
export function userIdOf(caller: Caller): string | undefined {
  const isUser = caller.kind === "workspace" && caller.userToken !== undefined;
  return isUser ? caller.user.sid : undefined;
}

/** The payer of a caller's calls. */
export function payerOf(caller: Caller): Payer {
  return {
    keyId: caller.apiKey.sid,
    userId: userIdOf(caller),
    workspaceId: workspaceIdOf(caller),
  };
}

/** The caller's name: a key, or a user of a key, whichever of the user's tokens is used. */
export function callerName({ keyId, userId }: Payer): string {
  return userId === undefined ? keyId : `${keyId}/${userId}`;
}

/** The name of the account that pays for what a call takes of the process: its workspace, or a key of none. */
export function accountName({ workspaceId, keyId }: Payer): string {
  return workspaceId ?? keyId;
}
