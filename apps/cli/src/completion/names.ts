import { oneLine } from "@parley/command/print";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { findServer } from "../connection/find-server.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import type { Noun } from "../grammar/noun.ts";
import * as nouns from "../grammar/nouns.ts";
import type { ListName } from "./complete-names.ts";
import { findKept, keepNames, type Name } from "./kept-names.ts";

/** Somebody waits for it at every press of Tab. */
const WAIT_MS = 1000;
/** Names that are offered: nobody reads more. */
const MAX_NAMES = 200;
/** A word that a shell takes as it is. */
const PLAIN = /^[\w@.:/+-]+$/;

/**
 * The names in a list of the server that these words are for, from the last minute: none if that fails. Undefined if it
 * takes too long, and may still be under way.
 */
export async function readNames(
  context: Context,
  list: ListName,
  words: readonly string[],
): Promise<readonly Name[] | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, WAIT_MS);
  try {
    return await Promise.race([read(context, list, optionsIn(words)), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function read(
  context: Context,
  list: ListName,
  options: ServerOptions,
): Promise<readonly Name[]> {
  const { environment } = context.io;
  const server = await findServer(context, options);
  const kept = { ...server, many: list };
  const before = await findKept(environment, kept);
  if (before !== undefined) return before;
  const connection = await connect(context, options);
  const names: Name[] = [];
  // Each reads the list of its own noun.
  const noun = nouns[list] as Noun<ServerConnection, unknown>;
  for await (const item of noun.read(connection)) {
    if (names.push(nameOf(noun, item)) >= MAX_NAMES) break;
  }
  await keepNames(environment, kept, names);
  return names;
}

/** What names a thing: its name, or its id if a shell would divide the name. */
function nameOf(noun: Noun<ServerConnection, unknown>, item: unknown): Name {
  const [id, name] = [noun.idOf(item), noun.nameOf(item)];
  return PLAIN.test(name) ? { word: name, about: oneLine(id) } : { word: id, about: oneLine(name) };
}

/** The options of a command that is not complete, which name its server. */
function optionsIn(words: readonly string[]): ServerOptions {
  const valueOf = (option: string): string | undefined => {
    const at = words.indexOf(`--${option}`);
    return at === -1 ? undefined : words[at + 1];
  };
  return { url: valueOf("url"), workspace: valueOf("workspace"), profile: valueOf("profile") };
}
