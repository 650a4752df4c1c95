import type { ErrorType } from "@parley/schema";
import type { Caller, Process } from "../context.ts";
import { type AuditWindow, type AuditWindowOptions, createAuditWindow } from "./audit-window.ts";
import { type AuditedMutation, recordRefusal } from "./audited-mutations.ts";

/** Refusals of a workspace in a window that each have a row of their own. */
const MAX_OWN_ROWS = 100;

/** An audited mutation that was refused. */
export interface RefusedMutation {
  readonly caller: Caller;
  readonly mutation: AuditedMutation;
  readonly outcome: ErrorType;
}

/** Refused audited mutations on their way to the audit log. */
export interface RefusedMutations extends Pick<AuditWindow, "flush" | "close"> {
  /**
   * Records a refusal: at once, or, if its workspace had many recently, counted with others. Throws
   * if it cannot be recorded at once.
   */
  record(refusal: RefusedMutation): Promise<void>;
}

/**
 * Records refused audited mutations. Any key can cause them, as often as the rate limits allow, so a
 * workspace has a bounded number of rows in each window. Operators have no bound: they could do worse.
 */
export function createRefusedMutations(
  core: Process,
  options: AuditWindowOptions,
): RefusedMutations {
  /** Rows of their own in the window, by workspace. */
  const ownRows = new Map<string, number>();
  const window = createAuditWindow(
    core,
    {
      groupOf: ({ workspaceId }) => workspaceId ?? "",
      anonymize: (row) => ({ ...row, actorId: null, actorName: null }),
      onWindowEnd: () => ownRows.clear(),
    },
    options,
  );
  return {
    record: async ({ caller, mutation, outcome }) => {
      if (caller.kind === "operator") return recordRefusal(core, mutation, outcome);
      const workspaceId = caller.workspace.sid;
      window.open();
      const count = (ownRows.get(workspaceId) ?? 0) + 1;
      ownRows.set(workspaceId, count);
      if (count <= MAX_OWN_ROWS) return recordRefusal(core, mutation, outcome);
      const { actor, action } = mutation;
      const source = { workspaceId, actorId: actor.id, actorName: actor.name };
      window.add({ at: core.now(), ...source, action, outcome, count: 1 });
    },
    flush: window.flush,
    close: window.close,
  };
}
