import type { Command } from "commander";
import type * as z from "zod";
import { calledWrongly } from "../command-error.ts";
import { callServer } from "../connection/call-server.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { oneLine, plain } from "../plain.ts";
import { printLine, reportLine } from "../print.ts";
import { confirm } from "../terminal/confirm.ts";
import { type Noun, nounCommand, withArticle } from "./noun.ts";
import type { Reader } from "./input-options.ts";
import { checkInput, withInput } from "./read-input.ts";
import { type References, resolveReferences } from "./references.ts";
import type { Context } from "../context.ts";
import type { Io } from "../io.ts";

/** A thing, as a sentence names it. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

type Find<Connection, Found extends Named> = (
  connection: Connection,
  reference: string,
) => Promise<Found>;

const argumentOf = (one: string): string => `<${one.replaceAll(" ", "-")}>`;

const titleOf = ({ id, name }: Named): string =>
  name === id || name === "" ? oneLine(id) : `${oneLine(name)} (${oneLine(id)})`;

/** Prints an answer of the server: YAML for people, or JSON. */
export async function printAnswer(io: Io, answer: unknown, { json }: ServerOptions): Promise<void> {
  if (json) return printLine(io, JSON.stringify(answer));
  const { stringify } = await import("yaml");
  printLine(io, plain(stringify(answer, withTimes, { lineWidth: 0 })).trimEnd());
}

/** People read dates, where programs read milliseconds. */
const withTimes = (key: unknown, value: unknown): unknown =>
  typeof key === "string" && /^(?:at|created|updated)$|At$/.test(key) && typeof value === "number"
    ? new Date(value).toISOString()
    : value;

/** Makes `get`, or another command that reads one thing. */
export function getCommand<Connection, Found extends Named>(
  context: Context,
  { one, open }: Noun<Connection>,
  get: {
    readonly name?: string;
    readonly about?: string;
    readonly by?: string;
    readonly find: Find<Connection, Found>;
    readonly read: (connection: Connection, found: Found) => Promise<unknown>;
  },
): Command {
  return nounCommand(get.name ?? "get", get.about ?? `show ${withArticle(one)}`)
    .argument(argumentOf(one), get.by ?? "id or name")
    .action(async (reference: string, options: ServerOptions) => {
      const connection = await open(context, options);
      const found = await callServer(get.find(connection, reference));
      await printAnswer(context.io, await callServer(get.read(connection, found)), options);
    });
}

/** What a mutation gave: the thing, the whole answer, and a secret that is shown once. */
export interface Done {
  readonly named: Named;
  readonly answer: object;
  readonly secret?: string;
}

function printDone(io: Io, what: string, one: string, done: Done, options: ServerOptions): void {
  if (options.json) return printLine(io, JSON.stringify(done.answer));
  const line = `${what}: ${one} ${titleOf(done.named)}`;
  if (done.secret === undefined) return printLine(io, line);
  reportLine(io, `${line}; its secret is shown only here`);
  printLine(io, done.secret);
}

/** Makes `create`. */
export function createCommand<Connection, S extends z.ZodObject>(
  context: Context,
  { one, open }: Noun<Connection>,
  create: {
    readonly about?: string;
    readonly schema: S;
    /** Member that is an argument. */
    readonly argument: string;
    readonly readers?: Readonly<Record<string, Reader>>;
    readonly references?: References<Connection>;
    readonly call: (connection: Connection, input: z.input<S>) => Promise<Done>;
  },
): Command {
  const { argument, schema, readers = {}, references = {} } = create;
  const command = nounCommand("create", create.about ?? `create ${withArticle(one)}`).argument(
    `[${argument}]`,
    "unless a file has it",
  );
  const named = Object.keys(references);
  const read = withInput(command, { schema, readers, named, without: [argument] });
  return command.action(async (first: string | undefined, options: ServerOptions) => {
    const given = await read(context.io, { ...options });
    if (first !== undefined) given[argument] = first;
    const checked = checkInput(schema, given);
    const connection = await open(context, options);
    const input = await resolveReferences(connection, checked, references);
    printDone(
      context.io,
      "created",
      one,
      await callServer(create.call(connection, input)),
      options,
    );
  });
}

/** Makes `update`. */
export function updateCommand<Connection, Found extends Named, S extends z.ZodObject>(
  context: Context,
  { many, one, open }: Noun<Connection>,
  update: {
    readonly about?: string;
    readonly by?: string;
    readonly schema: S;
    readonly readers?: Readonly<Record<string, Reader>>;
    readonly references?: References<Connection>;
    readonly find: Find<Connection, Found>;
    readonly call: (connection: Connection, found: Found, input: z.input<S>) => Promise<Done>;
  },
): Command {
  const { schema, readers = {}, references = {} } = update;
  const command = nounCommand(
    "update",
    update.about ?? `change ${withArticle(one)}, and leave what no option names`,
  ).argument(argumentOf(one), update.by ?? "id or name");
  const named = Object.keys(references);
  const read = withInput(command, { schema, readers, named });
  return command.action(async (reference: string, options: ServerOptions) => {
    const given = await read(context.io, { ...options });
    if (Object.keys(given).length === 0) {
      throw calledWrongly(`parley ${many} update`, "it takes what to change");
    }
    const checked = checkInput(schema, given);
    const connection = await open(context, options);
    const found = await callServer(update.find(connection, reference));
    const input = await resolveReferences(connection, checked, references);
    printDone(
      context.io,
      "updated",
      one,
      await callServer(update.call(connection, found, input)),
      options,
    );
  });
}

/** Makes a command that does something to one thing, as `restore`; what destroys is confirmed. */
export function actionCommand<Connection, Found extends Named, S extends z.ZodObject = z.ZodObject>(
  context: Context,
  { one, open }: Noun<Connection>,
  action: {
    readonly name: string;
    readonly about: string;
    /** What it did, as in `restored`. */
    readonly did: string;
    readonly by?: string;
    /** What options say of it. */
    readonly schema?: S;
    /** What is destroyed, after `This`; nothing without it. */
    readonly destroys?: (found: Found) => string;
    readonly find: Find<Connection, Found>;
    readonly call: (
      connection: Connection,
      found: Found,
      input: z.input<S>,
    ) => Promise<Omit<Done, "named">>;
  },
): Command {
  const { schema, destroys, find, call, did } = action;
  const by = action.by ?? "id or name";
  const command = nounCommand(action.name, action.about).argument(argumentOf(one), by);
  const read = schema && withInput(command, { schema, isFilter: true });
  if (destroys !== undefined) command.option("--yes", "do it without asking");
  return command.action(
    async (reference: string, options: ServerOptions & { readonly yes?: true }) => {
      const given = (await read?.(context.io, { ...options })) ?? {};
      // Without a schema there is nothing to give.
      const input = schema === undefined ? (given as z.input<S>) : checkInput(schema, given);
      const connection = await open(context, options);
      const found = await callServer(find(connection, reference));
      if (destroys !== undefined) {
        const typed = found.name === "" ? found.id : found.name;
        await confirm(context.io, { what: destroys(found), typed, yes: options.yes });
      }
      const done = await callServer(call(connection, found, input));
      printDone(context.io, did, one, { ...done, named: found }, options);
    },
  );
}
