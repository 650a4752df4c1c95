import { calledWrongly } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { printLine, reportLine } from "@parley/command/print";
import {
  ServerUsageDimension,
  type Usage,
  UsageDimension,
  type UsageFigures,
  usageToCsv,
} from "@parley/schema";
import type { RpcClient } from "parley-client";
import { callServer } from "../connection/call-server.ts";
import { connectToServer, findWorkspace } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { renderTable } from "../terminal/table.ts";

const DAY_MS = 24 * 3_600_000;
const DAYS = 30;

interface UsageOptions extends ServerOptions {
  readonly by?: Exclude<UsageDimension, "none"> | "workspace" | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly agent?: readonly string[] | undefined;
  readonly model?: readonly string[] | undefined;
  readonly key?: readonly string[] | undefined;
  readonly user?: readonly string[] | undefined;
  readonly own?: true | undefined;
  readonly csv?: true | undefined;
}

/** Prints what calls of models cost. Throws `CommandError`. */
export async function showUsage(context: Context, options: UsageOptions): Promise<void> {
  const { rpc, workspaceId } = await connectToServer(context, options);
  const { io } = context;
  if (options.own) {
    const wId = workspaceId ?? (await findWorkspace(rpc));
    const own = await callServer(rpc.usage.own.query({ wId }));
    if (options.json) return printLine(io, JSON.stringify(own));
    return printDays(io, own.days, own.totals);
  }
  const { session } = await callServer(rpc.session.get.query({}));
  const wId = workspaceId ?? session.workspace?.sId;
  const usage = await (wId === undefined ? readServer(rpc, options) : read(rpc, wId, options));
  if (options.json) printLine(io, JSON.stringify(usage));
  else if (options.csv) io.stdout.write(usageToCsv(usage));
  else if (options.by !== undefined) printGroups(io, options.by, usage);
  else if (wId === undefined) printGroups(io, "workspace", usage);
  else printDays(io, usage.rows, usage.totals);
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function rangeOf({ from, to, timezone, model: models }: UsageOptions) {
  const endDate = to ?? dayOf(Date.now());
  const end = Date.parse(endDate);
  // A day that is none is the server's to refuse.
  const first = Number.isNaN(end) ? endDate : dayOf(end - (DAYS - 1) * DAY_MS);
  return { startDate: from ?? first, endDate, timezone, models };
}

async function read(rpc: RpcClient, wId: string, options: UsageOptions): Promise<Usage> {
  const by = UsageDimension.safeParse(options.by ?? "none");
  if (!by.success) throw calledWrongly("parley usage", "--by workspace is for operators");
  const { agent: agents, key: keys, user: users } = options;
  const filters = { ...rangeOf(options), by: by.data, agents, keys, users };
  return callServer(rpc.usage.get.query({ wId, ...filters }));
}

async function readServer(rpc: RpcClient, options: UsageOptions): Promise<Usage> {
  const by = ServerUsageDimension.safeParse(options.by ?? "workspace");
  if (!by.success || (options.agent ?? options.key ?? options.user) !== undefined) {
    throw calledWrongly(
      "parley usage",
      "agents, keys and users are of one workspace: choose it with --workspace",
    );
  }
  return callServer(rpc.usage.getServer.query({ ...rangeOf(options), by: by.data }));
}

type Dated = UsageFigures & { readonly date: string };

function printDays(io: Io, days: readonly Dated[], totals: readonly UsageFigures[]): void {
  if (days.length === 0) return reportLine(io, "None found");
  const rows = [...days, ...totals.map((total) => ({ date: "Total", ...total }))];
  const cells = rows.map(({ date, ...figures }) => [date, ...cellsOf(figures)]);
  for (const line of renderTable(io, ["DAY", ...headings], cells)) printLine(io, line);
  reportUnpriced(io, totals);
}

function printGroups(io: Io, by: string, { groups, totals }: Usage): void {
  if (groups.length === 0) return reportLine(io, "None found");
  const cells = [
    ...groups.map((group) => [nameOf(group), ...cellsOf(group), group.before.amount]),
    ...totals.map((total) => ["Total", ...cellsOf(total), total.before.amount]),
  ];
  const names = [by.toUpperCase(), ...headings, "BEFORE"];
  for (const line of renderTable(io, names, cells)) printLine(io, line);
  reportUnpriced(io, totals);
}

const headings = ["CALLS", "TOKENS IN", "TOKENS OUT", "AMOUNT"];

const cellsOf = (figures: UsageFigures): string[] => [
  String(figures.calls),
  String(figures.inputTokens),
  String(figures.outputTokens),
  `${figures.amount} ${figures.currency}`,
];

function nameOf({ id, name, isOthers }: Usage["groups"][number]): string {
  if (isOthers) return "others";
  if (id === null) return "none";
  return name === null ? id : `${name} (${id})`;
}

function reportUnpriced(io: Io, totals: readonly UsageFigures[]): void {
  const unpriced = totals.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0);
  if (unpriced > 0) reportLine(io, `${unpriced} calls are of models without a price`);
}
