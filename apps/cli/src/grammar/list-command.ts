import { clearScreenDown, cursorTo } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Io } from "@parley/command/io";
import { printLine, reportLine } from "@parley/command/print";
import { type Command, InvalidArgumentError } from "commander";
import type * as z from "zod";
import type { ServerOptions } from "../connection/server-options.ts";
import { type Noun, nounCommand } from "./noun.ts";
import { withInput } from "./read-input.ts";
import type { Context } from "../connection/context.ts";

/** How often a list that is watched is read. */
const WATCH_MS = 2000;

/** A list of things. */
interface List<Connection, Item, S extends z.ZodObject> {
  /** What the command is called; `list` by default. */
  readonly name?: string;
  readonly about: string;
  /** What chooses some of them. */
  readonly filters?: S;
  /** Noun of the thing that has them, which is an argument. */
  readonly of?: string;
  /** How that is named; by default by its id. */
  readonly by?: string;
  /** Reads those that are chosen, and that the thing with the id has, if the noun does not. */
  readonly read?: (connection: Connection, filters: z.input<S>, of: string) => AsyncIterable<Item>;
  /** Cells by their headings. */
  readonly columns: Readonly<Record<string, (item: Item) => string | number | null | undefined>>;
  /** How many are listed by default, if a list can be endless; else all. */
  readonly limit?: number;
}

interface ListOptions extends ServerOptions {
  readonly limit?: number;
  readonly watch?: true;
}

/** How it is printed, and where. */
interface Printing extends ListOptions {
  readonly io: Io;
}

/** Makes `list`, or a command that lists what is found. */
export function listCommand<Connection, Item, S extends z.ZodObject>(
  context: Context,
  noun: Noun<Connection, Item>,
  list: List<Connection, Item, S>,
): Command {
  const byDefault = list.limit === undefined ? "all by default" : `${list.limit} by default`;
  const command = nounCommand(list.name ?? "list", list.about);
  const { filters, columns, read: readChosen = noun.read } = list;
  const shown = { ...noun, columns };
  const readFilters = filters && withInput(command, { schema: filters, isFilter: true });
  if (list.of !== undefined) command.argument(`<${list.of}>`, list.by ?? "id");
  return command
    .option("--limit <rows>", `maximum number; ${byDefault}`, readLimit)
    .option("--watch", "refresh when something changes, until Ctrl-C")
    .action(async (...called: unknown[]) => {
      // Commander gives the arguments, the options and the command.
      const [of, options] = [called[0] as string, called.at(-2) as ListOptions];
      const { io } = context;
      const connection = await noun.open(context, options);
      // The values are checked by the server: a filter that it refuses is its to explain.
      const given = ((await readFilters?.(io, { ...options })) ?? {}) as z.input<S>;
      const limit = options.limit ?? list.limit ?? Number.POSITIVE_INFINITY;
      const read = async () => take(readChosen(connection, given, of), limit);
      const printing = { ...options, io };
      await (options.watch
        ? watch(shown, read, printing)
        : printOnce(shown, await read(), printing));
    });
}

interface Taken<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

async function take<Item>(items: AsyncIterable<Item>, limit: number): Promise<Taken<Item>> {
  const taken: Item[] = [];
  for await (const item of items) {
    if (taken.length >= limit) return { items: taken, hasMore: true };
    taken.push(item);
  }
  return { items: taken, hasMore: false };
}

type Shown<Item> = Pick<Noun<never, Item>, "idOf" | "listed"> &
  Pick<List<never, Item, z.ZodObject>, "columns">;

async function printOnce<Item>(
  { columns, listed }: Shown<Item>,
  { items, hasMore }: Taken<Item>,
  { io, json }: Printing,
): Promise<void> {
  if (json) return printLine(io, JSON.stringify({ [listed]: items, hasMore }));
  if (items.length > 0) {
    // Widths of characters are known to a large table, which other commands do without.
    const { renderTable } = await import("../terminal/table.ts");
    const rows = items.map((item) => cellsOf(columns, item));
    for (const line of renderTable(io, Object.keys(columns), rows)) printLine(io, line);
  } else reportLine(io, "None found");
  if (hasMore) reportLine(io, "There are more; raise --limit to list them");
}

const cellsOf = <Item>(columns: Shown<Item>["columns"], item: Item): string[] =>
  Object.values(columns).map((cell) => String(cell(item) ?? ""));

/** On a terminal the table is drawn again; elsewhere what is new or has changed is a line. */
async function watch<Item>(
  { columns, idOf, listed }: Shown<Item>,
  read: () => Promise<Taken<Item>>,
  printing: Printing,
): Promise<never> {
  const { io, json } = printing;
  let before = new Map<string, string>();
  for (;;) {
    const taken = await read();
    if (io.isTerminal.stdout && !json) {
      cursorTo(io.stdout, 0, 0);
      clearScreenDown(io.stdout);
      await printOnce({ columns, idOf, listed }, taken, printing);
    } else {
      const rows = taken.items.map((item) => [idOf(item), JSON.stringify(item), item] as const);
      for (const [id, text, item] of rows) {
        if (before.get(id) === text) continue;
        printLine(io, json ? text : cellsOf(columns, item).join("\t"));
      }
      before = new Map(rows.map(([id, text]) => [id, text]));
    }
    await pause(WATCH_MS);
  }
}

/** Reads a number of rows. Throws `InvalidArgumentError`. */
export function readLimit(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}
