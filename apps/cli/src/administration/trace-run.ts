import { printLine } from "@parley/command/print";
import type { Span, Trace } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { nounCommand } from "../grammar/noun.ts";
import { printAnswer } from "../grammar/one-commands.ts";
import { renderTable } from "../terminal/table.ts";

/** Characters of the time axis. */
const AXIS = 40;

/** Makes `trace`: what a run spent its time on, as a waterfall of text. */
export const traceCommand = (context: Context) =>
  nounCommand("trace", "show what a run spent its time on, as a waterfall")
    .argument("<run>", "id of the agent's message or of the invocation")
    .action(async (runId: string, options: ServerOptions) => {
      const { rpc, wId } = await connect(context, options);
      const answer = await callServer(rpc.runs.getTrace.query({ wId, runId }));
      if (options.json) return printAnswer(context.io, answer, options);
      for (const line of renderTrace(context, answer.trace)) printLine(context.io, line);
    });

function renderTrace({ io }: Context, { spans, isCut }: Trace): string[] {
  const start = spans[0]?.startedAt ?? 0;
  const now = Date.now();
  const endOf = ({ startedAt, endedAt }: Span) => endedAt ?? Math.max(now, startedAt);
  const whole = Math.max(1, ...spans.map((span) => endOf(span) - start));
  const parents = new Map(spans.map(({ id, parentId }) => [id, parentId]));
  const depthOf = (id: string): number => {
    const parent = parents.get(id);
    return parent ? depthOf(parent) + 1 : 0;
  };
  const barOf = (span: Span): string => {
    const from = Math.floor(((span.startedAt - start) / whole) * (AXIS - 1));
    const length = Math.max(1, Math.round(((endOf(span) - span.startedAt) / whole) * AXIS));
    const mark = ["queue", "wait", "backoff"].includes(span.kind) ? "-" : "=";
    return `|${" ".repeat(from)}${mark.repeat(Math.min(length, AXIS - from))}`;
  };
  const rows = inTree(spans).map((span) => [
    `${"· ".repeat(depthOf(span.id))}${span.name}`,
    span.status,
    durationOf(span.startedAt - start),
    durationOf(endOf(span) - span.startedAt),
    barOf(span).replaceAll(" ", "."),
  ]);
  const table = renderTable(io, ["SPAN", "STATUS", "START", "DURATION", "TIME"], rows);
  return isCut ? [...table, "Some spans are not shown."] : table;
}

/** Each span after its parent. */
function inTree(spans: readonly Span[], parentId: string | null = null): Span[] {
  return spans
    .filter((span) => span.parentId === parentId)
    .flatMap((span) => [span, ...inTree(spans, span.id)]);
}

const durationOf = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
