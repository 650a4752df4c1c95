import { calledWrongly } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { printLine, reportLine } from "@parley/command/print";
import { MeasureDimension, type MeasureFigures, type Measures } from "@parley/schema";
import type { RpcClient } from "parley-client";
import { callServer } from "../connection/call-server.ts";
import { connectToServer } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { renderTable } from "../terminal/table.ts";

interface OverviewOptions extends ServerOptions {
  readonly by?: MeasureDimension | "workspace" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Prints what happened in a period. Throws `CommandError`. */
export async function showOverview(context: Context, options: OverviewOptions): Promise<void> {
  const { rpc, workspaceId } = await connectToServer(context, options);
  const { session } = await callServer(rpc.session.get.query({}));
  const wId = workspaceId ?? session.workspace?.sId;
  const range = { from: timeOf("from", options), to: timeOf("to", options) };
  const measures = await (wId === undefined
    ? readServer(rpc, range, options)
    : read(rpc, { wId, ...range }, options));
  if (options.json) return printLine(context.io, JSON.stringify(measures));
  const by = options.by ?? (wId === undefined ? "workspace" : "agent");
  print(context.io, by, measures);
}

function timeOf(name: "from" | "to", options: OverviewOptions): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw calledWrongly("parley overview", `--${name}: must be a time, as 2026-11-28T09:00:00Z`);
}

interface Range {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

async function read(
  rpc: RpcClient,
  range: Range & { readonly wId: string },
  { by = "agent" }: OverviewOptions,
): Promise<Measures> {
  if (by === "workspace") {
    throw calledWrongly("parley overview", "--by workspace is for operators");
  }
  return callServer(rpc.measures.get.query({ ...range, dimension: by }));
}

async function readServer(
  rpc: RpcClient,
  range: Range,
  { by = "workspace" }: OverviewOptions,
): Promise<Measures> {
  if (by !== "workspace" && by !== "model") {
    throw calledWrongly(
      "parley overview",
      "agents, tools, keys and users are of one workspace: choose it with --workspace",
    );
  }
  return callServer(rpc.measures.getServer.query({ ...range, dimension: by }));
}

const msOf = (value: number | undefined): string => (value === undefined ? "" : `${value} ms`);

const cellsOf = (figures: MeasureFigures): string[] => [
  String(figures.answers),
  String(figures.errored),
  String(figures.toolCalls),
  msOf(figures.firstToken?.p95),
  msOf(figures.whole?.p95),
  figures.amounts.map(({ amount, currency }) => `${amount} ${currency}`).join(", "),
];

const headings = ["ANSWERS", "FAILED", "TOOL CALLS", "FIRST TOKEN P95", "WHOLE P95", "COST"];

function print(io: Io, by: string, { top, totals, before }: Measures): void {
  if (top.length === 0 && totals.answers === 0) return reportLine(io, "None found");
  const cells = [
    ...top.map((row) => [row.name ?? row.id ?? "others", ...cellsOf(row)]),
    ["Total", ...cellsOf(totals)],
    ["Before", ...cellsOf(before)],
  ];
  for (const line of renderTable(io, [by.toUpperCase(), ...headings], cells)) printLine(io, line);
}
