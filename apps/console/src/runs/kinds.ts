import type { Output } from "parley-client";

/** A turn of an agent, an invocation of a function, a call of a tool, or a summary of a conversation. */
export type Run = Output<"runs.list">["runs"][number];
export type Kind = Run["kind"];
export type Status = Run["status"];

export const kinds = [
  "turn",
  "invocation",
  "tool_call",
  "compaction",
] as const satisfies readonly Kind[];

export const statuses = [
  "waiting",
  "running",
  "blocked",
  "suspended",
  "succeeded",
  "errored",
  "cancelled",
] as const satisfies readonly Status[];

/** Labels for the kinds of runs. */
export const nameOfKind: Readonly<Record<Kind, string>> = {
  turn: "Turn",
  invocation: "Invocation",
  tool_call: "Tool call",
  compaction: "Summary",
};

const over: ReadonlySet<Status> = new Set(["succeeded", "errored", "cancelled"]);

/** Whether a run can be cancelled: it has not ended. */
export const isCancellable = ({ endedAt, status }: Run): boolean =>
  endedAt === null && !over.has(status);

/** The name of the agent of a turn, of the function, or of the tool. */
export function nameOf({ kind, function: called, tool, agent }: Run): string {
  const named =
    kind === "turn" || kind === "compaction" ? agent?.name : (called?.slug ?? tool?.name);
  return named ?? nameOfKind[kind];
}
