import type { Caller } from "@parley/core";

/** The key whose calls are counted, and its workspace, whose keys are counted together too. */
export interface Payer {
  readonly keyId: string;
  /** None for an operator's key. */
  readonly workspaceId: string | undefined;
}

/** Public id of the workspace of a key; none for an operator's. */
export function workspaceIdOf(caller: Caller): string | undefined {
  return caller.kind === "workspace" ? caller.workspace.sid : undefined;
}

/** The payer of a caller's calls. */
export function payerOf(caller: Caller): Payer {
  return { keyId: caller.apiKey.sid, workspaceId: workspaceIdOf(caller) };
}
