import { calledWrongly } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, plain, printLine, reportLine } from "@parley/command/print";
import type { Command } from "commander";
import type { EndpointName } from "@parley/schema";
import * as z from "zod";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { confirm } from "../terminal/confirm.ts";
import { type Answer, callEndpoint, type Caller, inputOf, takesVersion } from "./endpoint-calls.ts";
import {
  type Find,
  findIn,
  type Found,
  type Named,
  type Noun,
  nounCommand,
  withArticle,
} from "./noun.ts";
import type { Reader } from "./input-options.ts";
import { checkInput, withInput } from "./read-input.ts";
import type { Context } from "../connection/context.ts";

/** How each member that takes an id, or several, finds what a person has named. */
export type References<Connection> = Readonly<
  Record<string, (connection: Connection, reference: string) => Promise<{ readonly id: string }>>
>;

/**
 * An input with ids in place of unique names. What a key may not list stays as it was given, for the server to
 * judge. Throws `CommandError`.
 */
export async function resolveReferences<Connection, Input extends object>(
  connection: Connection,
  input: Input,
  references: References<Connection>,
): Promise<Input> {
  const ids: Record<string, string | string[]> = {};
  for (const [member, given] of Object.entries(input)) {
    const find = references[member];
    if (find === undefined) continue;
    if (typeof given === "string" && given !== "") {
      ids[member] = await idOf(find(connection, given), given);
    }
    if (!Array.isArray(given)) continue;
    const found = new Set<string>();
    for (const reference of given as readonly string[]) {
      found.add(await idOf(find(connection, reference), reference));
    }
    ids[member] = [...found];
  }
  return { ...input, ...ids };
}

async function idOf(finding: Promise<{ readonly id: string }>, reference: string): Promise<string> {
  try {
    return (await finding).id;
  } catch (error) {
    if (errorTypeOf(error) === "app_auth_error") return reference;
    throw error;
  }
}

const argumentOf = (one: string): string => `<${one.replaceAll(" ", "-")}>`;

const titleOf = ({ id, name }: Named): string =>
  name === id || name === "" ? oneLine(id) : `${oneLine(name)} (${oneLine(id)})`;

/** Prints an answer of the server: YAML for people, or JSON. */
export async function printAnswer(io: Io, answer: unknown, { json }: ServerOptions): Promise<void> {
  if (json) return printLine(io, JSON.stringify(answer));
  const { stringify } = await import("yaml");
  printLine(io, plain(stringify(answer, withTimes, { lineWidth: 0 })).trimEnd());
}

/** People read dates, programs milliseconds. */
const withTimes = (key: unknown, value: unknown): unknown =>
  typeof key === "string" &&
  /^(?:at|created|updated|slot)$|(?:At|Since|Until|Slot)$/.test(key) &&
  typeof value === "number"
    ? new Date(value).toISOString()
    : value;

/** What commands about one thing have in common. */
interface OfOne<Connection, Item> {
  readonly about?: string;
  /** How it is named; by default by its id or its name. */
  readonly by?: string;
  /** Finds it; by default in the list of all. */
  readonly find?: Find<Connection, Item>;
}

/** Makes `get`, or another command that reads one thing: what an endpoint answers, or what the list has of it. */
export function getCommand<Connection extends Caller, Item>(
  context: Context,
  noun: Noun<Connection, Item>,
  get: OfOne<Connection, Item> & {
    readonly name?: string;
    readonly read?: EndpointName | ((connection: Connection, found: Named) => Promise<unknown>);
  } = {},
): Command {
  const { find = findIn(noun), read } = get;
  const readOne = async (connection: Connection, found: Found<Item>): Promise<unknown> => {
    if (read === undefined) return { [answeredBy(noun)]: found.item };
    if (typeof read === "function") return read(connection, found);
    return callEndpoint(connection, read, { id: found.id });
  };
  return nounCommand(get.name ?? "get", get.about ?? `show ${withArticle(noun.one)}`)
    .argument(argumentOf(noun.one), get.by ?? "id or name")
    .action(async (reference: string, options: ServerOptions) => {
      const connection = await noun.open(context, options);
      const found = await callServer(find(connection, reference));
      await printAnswer(context.io, await callServer(readOne(connection, found)), options);
    });
}

/** Name of one thing in the server's answers. */
const answeredBy = ({ listed }: Pick<Noun<never, never>, "listed">): string =>
  listed.replace(/ies$/, "ys").replace(/s$/, "");

type Names<Item> = Pick<Noun<never, Item>, "listed" | "idOf" | "nameOf">;

/** The thing that an answer has; if it has none, the one that was found, by the name that it has now. */
function namedIn<Item>(noun: Names<Item>, answer: Answer, found?: Named): Named {
  const { [answeredBy(noun)]: item, name } = answer;
  if (found !== undefined && item === undefined) {
    return typeof name === "string" ? { id: found.id, name } : found;
  }
  // Lists and other answers have things alike, as far as their names go.
  return { id: noun.idOf(item as Item), name: noun.nameOf(item as Item) };
}

/** Prints what a mutation did, and a secret that is shown once. */
export function printDone(io: Io, what: string, answer: Answer, { json }: ServerOptions): void {
  if (json) return printLine(io, JSON.stringify(answer));
  const { secret, adminKey = secret, url } = answer;
  if (typeof adminKey !== "string") return printLine(io, what);
  if (typeof url === "string" && url.endsWith(`/${adminKey}`)) {
    reportLine(io, `${what}; its URL is its secret, and is shown only once`);
    return printLine(io, url);
  }
  reportLine(io, `${what}; its secret is shown only once`);
  printLine(io, adminKey);
}

/** What a mutation calls: an endpoint, or what has no endpoint of its own. */
type Call<Connection, Item, S extends z.ZodObject> =
  | EndpointName
  | ((connection: Connection, found: Found<Item>, input: z.input<S>) => Promise<object>);

/** What a mutation is given: what its endpoint takes, if nothing else is said. */
function schemaOf<S extends z.ZodObject>({
  schema,
  call,
  without,
}: {
  readonly schema?: S;
  readonly call: unknown;
  readonly without?: readonly string[];
}): S {
  if (schema !== undefined) return schema;
  // Nothing is known of the type of its members then.
  const isEndpoint = typeof call === "string";
  return (isEndpoint ? inputOf(call as EndpointName, without) : z.object({})) as z.ZodObject as S;
}

/** How a mutation gets its input. */
interface InputOfOne<Connection> {
  /** Members that have no option. */
  readonly without?: readonly string[];
  readonly readers?: Readonly<Record<string, Reader>>;
  readonly references?: References<Connection>;
}

/** Makes `create`. */
export function createCommand<Connection extends Caller, Item, S extends z.ZodObject = z.ZodObject>(
  context: Context,
  noun: Noun<Connection, Item>,
  create: InputOfOne<Connection> & {
    /** What it is given, if that is not what the endpoint takes. */
    readonly schema?: S;
    readonly call: EndpointName | ((connection: Connection, input: z.input<S>) => Promise<Answer>);
    readonly about?: string;
    /** Member that is an argument. */
    readonly argument: string;
  },
): Command {
  const { argument, call, readers = {}, references = {} } = create;
  const command = nounCommand("create", create.about ?? `create ${withArticle(noun.one)}`).argument(
    `[${argument}]`,
    "required unless --file has it",
  );
  const schema = schemaOf(create);
  const named = Object.keys(references);
  const read = withInput(command, { schema, readers, named, without: [argument] });
  return command.action(async (first: string | undefined, options: ServerOptions) => {
    const given = await read(context.io, { ...options });
    if (first !== undefined) given[argument] = first;
    const checked = checkInput(schema, given);
    const connection = await noun.open(context, options);
    const input = await resolveReferences(connection, checked, references);
    const creating =
      typeof call === "string" ? callEndpoint(connection, call, input) : call(connection, input);
    const answer = await callServer(creating);
    const done = `created: ${noun.one} ${titleOf(namedIn(noun, answer))}`;
    printDone(context.io, done, answer, options);
  });
}

interface Change<Connection, Item, S extends z.ZodObject> {
  readonly call: Call<Connection, Item, S>;
  readonly found: Found<Item>;
  readonly input: z.input<S>;
}

/** Changes a thing, in the version that the endpoint must be told. */
async function change<Connection extends Caller, Item, S extends z.ZodObject>(
  connection: Connection,
  { versionOf }: Noun<Connection, Item>,
  { call, found, input }: Change<Connection, Item, S>,
): Promise<Answer> {
  if (typeof call !== "string") return { ...(await call(connection, found, input)) };
  const version = takesVersion(call) ? await versionOf?.(connection, found) : undefined;
  const based = version !== undefined && { version };
  return callEndpoint(connection, call, { id: found.id, ...based, ...input });
}

/** Makes `update`. */
export function updateCommand<Connection extends Caller, Item, S extends z.ZodObject = z.ZodObject>(
  context: Context,
  noun: Noun<Connection, Item>,
  update: OfOne<Connection, Item> &
    InputOfOne<Connection> & { readonly schema?: S; readonly call: Call<Connection, Item, S> },
): Command {
  const { find = findIn(noun), call, readers = {}, references = {} } = update;
  const { many, one } = noun;
  const command = nounCommand(
    "update",
    update.about ?? `update ${withArticle(one)}; unset options keep their value`,
  ).argument(argumentOf(one), update.by ?? "id or name");
  const schema = schemaOf(update);
  const named = Object.keys(references);
  const read = withInput(command, { schema, readers, named });
  return command.action(async (reference: string, options: ServerOptions) => {
    const given = await read(context.io, { ...options });
    if (Object.keys(given).length === 0) {
      throw calledWrongly(`parley ${many} update`, "name at least one option to change");
    }
    const checked = checkInput(schema, given);
    const connection = await noun.open(context, options);
    const found = await callServer(find(connection, reference));
    const input = await resolveReferences(connection, checked, references);
    const answer = await callServer(change(connection, noun, { call, found, input }));
    const done = `updated: ${one} ${titleOf(namedIn(noun, answer, found))}`;
    printDone(context.io, done, answer, options);
  });
}

/** Makes a command that does something to one thing, as `restore`; what destroys is confirmed. */
export function actionCommand<Connection extends Caller, Item, S extends z.ZodObject = z.ZodObject>(
  context: Context,
  noun: Noun<Connection, Item>,
  action: OfOne<Connection, Item> & {
    readonly name: string;
    readonly about: string;
    /** What it did, as in `restored`. */
    readonly did: string | ((answer: Answer) => string);
    /** What it destroys, after `This will`; without it, nothing is confirmed. */
    readonly destroys?: (found: Named) => string;
    /** What its options give, if that is not what the endpoint takes. */
    readonly schema?: S;
    readonly references?: References<Connection>;
    readonly call: Call<Connection, Item, S>;
  },
): Command {
  const { destroys, find = findIn(noun), call, did, references = {} } = action;
  const { one, open } = noun;
  const by = action.by ?? "id or name";
  const command = nounCommand(action.name, action.about).argument(argumentOf(one), by);
  const schema = schemaOf(action);
  const named = Object.keys(references);
  const read = withInput(command, { schema, named, isFilter: true });
  if (destroys !== undefined) command.option("--yes", "skip the confirmation");
  return command.action(
    async (reference: string, options: ServerOptions & { readonly yes?: true }) => {
      const checked = checkInput(schema, await read(context.io, { ...options }));
      const connection = await open(context, options);
      const found = await callServer(find(connection, reference));
      const input = await resolveReferences(connection, checked, references);
      if (destroys !== undefined) {
        const typed = found.name === "" ? found.id : found.name;
        await confirm(context.io, { what: destroys(found), typed, yes: options.yes });
      }
      const answer = await callServer(change(connection, noun, { call, found, input }));
      const done = typeof did === "string" ? did : did(answer);
      printDone(context.io, `${done}: ${one} ${titleOf(found)}`, answer, options);
    },
  );
}
