import type { Run, Status } from "./kinds.ts";

const over: ReadonlySet<Status> = new Set(["succeeded", "errored", "cancelled"]);

/** A call that cancels runs: one for the turns of a conversation, or one for an invocation. */
export type Cancel =
  | { readonly conversationId: string; readonly messageIds: readonly string[] }
  | { readonly functionId: string; readonly invocationId: string };

/** Whether a run can be cancelled: it has not ended. An agent's call of a tool ends with the turn that made it. */
export function isCancellable(run: Run): boolean {
  const isOver = run.endedAt !== null || over.has(run.status);
  return !isOver && cancelsOf([run]).length > 0;
}

/** The calls that cancel these runs: the turns of a conversation at once. */
export function cancelsOf(runs: readonly Run[]): readonly Cancel[] {
  const turns = new Map<string, string[]>();
  const cancels: Cancel[] = [];
  for (const { id, kind, conversationId, function: called, tool } of runs) {
    if (kind === "turn" && conversationId !== null) {
      turns.set(conversationId, [...(turns.get(conversationId) ?? []), id]);
    } else if (kind === "invocation" && called !== null) {
      cancels.push({ functionId: called.sId, invocationId: id });
    } else if (kind === "tool_call" && conversationId === null && tool !== null) {
      cancels.push({ functionId: tool.sId, invocationId: id });
    }
  }
  return [
    ...[...turns].map(([conversationId, messageIds]) => ({ conversationId, messageIds })),
    ...cancels,
  ];
}
