import type { ErrorType } from "@parley/schema";
import type { Caller, Process } from "../context.ts";
import { type AuditWindow, type AuditWindowOptions, createAuditWindow } from "./audit-window.ts";

/** A request whose credential was refused. */
export interface RefusedCredential {
  readonly type: ErrorType;
  readonly clientIp: string;
  /** The requested route, as it is served. */
  readonly route: string;
  readonly requestId: string;
  /** The caller that the key belongs to, if it is a known key. */
  readonly caller: Caller | undefined;
}

/** Refused credentials on their way to the audit log. */
export interface RefusedCredentials extends Pick<AuditWindow, "flush" | "close"> {
  /** Counts a refusal without waiting for the log. */
  note(refusal: RefusedCredential): void;
}

/**
 * Records refused credentials. Anybody can cause them, so they are counted by client IP, type and key,
 * and written together: a flood costs one statement and a bounded number of rows in each window.
 * Refusals of known keys have their own bound, so that strangers cannot crowd them out.
 */
export function createRefusedCredentials(
  core: Process,
  options: AuditWindowOptions,
): RefusedCredentials {
  const nothing = {
    workspaceId: null,
    subjectId: null,
    clientIp: null,
    route: null,
    requestId: null,
  };
  const { add, flush, close } = createAuditWindow(
    core,
    {
      groupOf: ({ subjectId }) => (subjectId === null ? "unknown keys" : "known keys"),
      anonymize: (row) => ({ ...row, ...nothing }),
    },
    options,
  );
  return {
    note: ({ type, caller, ...refusal }) =>
      add({
        ...refusal,
        at: core.now(),
        workspaceId: caller?.kind === "workspace" ? caller.workspace.sid : null,
        action: "credentials.refused",
        subjectId: caller?.apiKey.sid ?? null,
        outcome: type,
        count: 1,
      }),
    flush,
    close,
  };
}
