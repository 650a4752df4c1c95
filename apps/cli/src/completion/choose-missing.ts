import type { Command, CommanderError } from "commander";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { chooseOne } from "../terminal/choose-one.ts";
import { offers } from "./offers.ts";

/** Somebody waits for the list, who could have typed what it holds. */
const WAIT_MS = 5000;
/** Choices that are offered: more are not read. */
const MAX_CHOICES = 200;

/** What a command lacks: a word, or the value of an option. */
interface Missing {
  readonly name: string;
  readonly insert: (args: readonly string[], value: string) => string[];
}

/** What a call of a command lacks, if that is what is wrong with it. */
function missingIn({ code }: CommanderError, command: Command): Missing | undefined {
  if (code === "commander.missingArgument") {
    const argument = command.registeredArguments[command.args.length];
    if (argument === undefined) return undefined;
    const insert: Missing["insert"] = (args, value) =>
      args.includes("--") ? [...args, value] : [...args, "--", value];
    return { name: argument.name(), insert };
  }
  if (code !== "commander.missingMandatoryOptionValue") return undefined;
  const option = command.options.find(
    (one) => one.mandatory && command.getOptionValue(one.attributeName()) === undefined,
  );
  if (option === undefined) return undefined;
  const insert: Missing["insert"] = (args, value) => {
    const end = args.indexOf("--");
    return args.toSpliced(end === -1 ? args.length : end, 0, `${option.long}=${value}`);
  };
  return { name: option.attributeName(), insert };
}

/**
 * Lets a person choose what a call of a command lacks from what the server lists, and gives the arguments with it:
 * undefined if nothing is lacking that it lists, or the list is empty or cannot be read within some seconds. Throws
 * `CommandError` if they leave.
 */
export async function chooseMissing(
  context: Context,
  args: readonly string[],
  mistake: CommanderError & { readonly of?: Command },
): Promise<readonly string[] | undefined> {
  const { of: command } = mistake;
  const missing = command && missingIn(mistake, command);
  const offer = missing && offers.get(missing.name);
  if (command === undefined || missing === undefined || offer === undefined) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, WAIT_MS);
  const call = { words: wordsOf(command), given: command.args };
  const reading = Array.fromAsync(
    take(offer.read(context, command.opts<ServerOptions>(), call), MAX_CHOICES + 1),
  );
  const choices = await Promise.race([reading.catch(() => []), late]);
  clearTimeout(timer);
  context.state.isOverdue ||= choices === undefined;
  if (choices === undefined || choices.length === 0) return undefined;
  const more = choices.length > MAX_CHOICES ? ` (the first ${MAX_CHOICES})` : "";
  const message = `Which ${offer.one}?${more}`;
  const listed = choices.slice(0, MAX_CHOICES);
  return missing.insert(args, await chooseOne(context.io, { message, choices: listed }));
}

async function* take<Item>(items: AsyncIterable<Item>, count: number) {
  let taken = 0;
  for await (const item of items) {
    yield item;
    if (++taken >= count) return;
  }
}

/** The words of a command without `parley`, as `agents versions get`. */
function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let one = command; one.parent !== null; one = one.parent) words.unshift(one.name());
  return words.join(" ");
}
