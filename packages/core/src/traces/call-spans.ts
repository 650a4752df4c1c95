/** The spans of tool calls: the call itself, its wait for a person or an application, and its invocation. */
import type { Span } from "@parley/schema";
import { askUserTool } from "../calls/ask-user.ts";
import { callStatus, openStatuses } from "../calls/call-states.ts";
import { spansOfRun } from "./run-spans.ts";
import { spanId } from "../runs/span-ids.ts";
import { within } from "./span-building.ts";
import type { TracedCall, TracedInvocation, TracedRun } from "./traced-rows.ts";

/** What people read of a wait. */
const waitNames = {
  approval: "Needs approval",
  answer: "Needs an answer",
  authorization: "Needs permission",
  outputs: "Needs the application's output",
} as const;
type WaitsFor = keyof typeof waitNames;

const blockedOn: Readonly<Record<string, WaitsFor>> = {
  [callStatus.needsApproval]: "approval",
  [callStatus.needsAnswer]: "answer",
  [callStatus.needsPermission]: "authorization",
  [callStatus.needsOutput]: "outputs",
};

/** A call without a wait has its invocation by the transaction that creates it, on other clocks at most. */
const SAME_MOMENT_MS = 1000;

/** Whether the call has not ended. */
export const isOpen = ({ status }: TracedCall): boolean => openStatuses.includes(status);

interface CallParents {
  readonly run: TracedRun;
  readonly root: Span;
  /** The step that asked for it, or what is known in place of that. */
  readonly step: Span;
  readonly applicationTools: readonly string[];
}

/** The spans of a call, its own first. It begins where its step ends, so it is not within that. */
export function spansOfCall(call: TracedCall, parents: CallParents): Span[] {
  const { run, root, step } = parents;
  const { invocation, createdAt, updatedAt, executionDurationMs } = call;
  // One that its turn has run itself is written once it has ended.
  const isWrittenLate = invocation === null && createdAt === updatedAt;
  const startedAt = isWrittenLate ? createdAt - (executionDurationMs ?? 0) : createdAt;
  const times = { startedAt, endedAt: isOpen(call) ? null : updatedAt };
  const name = call.toolName || call.functionCallName;
  const span: Span = {
    id: spanId(run.logId, "call", { key: call.sid }),
    parentId: step.id,
    kind: "call",
    name,
    ...within({ startedAt: step.startedAt, endedAt: root.endedAt }, times),
    ...endOf(call, run),
    step: call.step,
    actionId: call.sid,
    toolName: name,
    params: call.params,
    ...(call.output && { output: call.output }),
    ...(invocation && { invocationId: invocation.run.logId }),
  };
  const invoked = invocation === null ? [] : spansOfInvocation(invocation, span).spans;
  const waited = call.task === undefined ? waitsOf(call, parents.applicationTools) : [];
  const waits = waited.map(({ waitsFor, ...of }): Span => {
    const timed = within(span, of);
    return {
      id: spanId(run.logId, "wait", { key: `${call.sid} ${waitsFor}` }),
      parentId: span.id,
      kind: "wait",
      name: waitNames[waitsFor],
      ...timed,
      status: timed.endedAt === null ? "running" : of.status,
      waitsFor,
    };
  });
  return [span, ...waits, ...invoked];
}

/** The spans of an invocation, and whether attempts of it were not kept. */
export function spansOfInvocation(
  { run, name, input, result, error }: TracedInvocation,
  parent: Span | null,
): { readonly spans: Span[]; readonly isCut: boolean } {
  const about = {
    name,
    invocationId: run.logId,
    ...(input && { params: input }),
    ...(result && { output: result }),
    ...(error && { error }),
  };
  const { root, attempts, waits, isCut } = spansOfRun(run, {
    kind: "invocation",
    parent,
    root: about,
  });
  return { spans: [root, ...waits, ...attempts], isCut };
}

/** How a call stands. */
function endOf(call: TracedCall, run: TracedRun): Pick<Span, "status" | "error"> {
  if (isOpen(call)) return { status: run.status === "finished" ? "cancelled" : "running" };
  if (call.status === callStatus.denied) return { status: "cancelled" };
  if (call.status === callStatus.succeeded) return { status: "succeeded" };
  const wasCancelled = run.outcome === "cancelled" && call.updatedAt >= (run.finishedAt ?? 0);
  if (wasCancelled) return { status: "cancelled" };
  const message = "The tool failed; its result says why";
  return { status: "errored", error: call.invocation?.error ?? { code: "tool_error", message } };
}

interface Wait {
  readonly waitsFor: WaitsFor;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly status: Span["status"];
}

/** What a call waited for before it ran, or in place of that. */
function waitsOf(call: TracedCall, applicationTools: readonly string[]): Wait[] {
  const { createdAt, updatedAt, decided, decision, invocation, status } = call;
  const open = blockedOn[status];
  const decidedOn = waitOf(call, applicationTools);
  const wasDecided = (decided !== null || decision !== null) && open !== decidedOn;
  const decidedAt = decided?.at ?? invocation?.run.createdAt ?? updatedAt;
  const waits: Wait[] = [];
  const add = (waitsFor: WaitsFor, startedAt: number, endedAt: number | null) =>
    waits.push({ waitsFor, startedAt, endedAt, status: "succeeded" });
  if (wasDecided) add(decidedOn, createdAt, decidedAt);
  if (open !== undefined) {
    // Of a call that its server has refused, its invocation says so.
    if (invocation === null) add(open, wasDecided ? decidedAt : createdAt, null);
    return waits;
  }
  if (invocation !== null) {
    const from = wasDecided ? decidedAt : createdAt;
    const isApart = invocation.run.createdAt - from > SAME_MOMENT_MS;
    if (call.mcpServerId !== null && isApart) add("authorization", from, invocation.run.createdAt);
    return waits;
  }
  // Nobody decided in time, or the answer was cancelled meanwhile.
  const isLate = !wasDecided && call.executionDurationMs === null && updatedAt > createdAt;
  if (!isLate) return waits;
  return [{ waitsFor: decidedOn, startedAt: createdAt, endedAt: updatedAt, status: "cancelled" }];
}

/** What a call without an invocation waited for, once it waits no longer. */
function waitOf(call: TracedCall, applicationTools: readonly string[]): WaitsFor {
  const { functionCallName, decided, decision } = call;
  if (decision !== null) return "approval";
  if (functionCallName === askUserTool.name) return "answer";
  const isOfApplication =
    decided?.digest !== undefined || applicationTools.includes(functionCallName);
  return isOfApplication ? "outputs" : "approval";
}
