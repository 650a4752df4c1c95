import type { RootCommand } from "@bomb.sh/tab";
import type { Command } from "commander";
import type { Context } from "../connection/context.ts";
import type { Name } from "./kept-names.ts";

/** The list that an argument or an option names one of, by the name of either; ids and names are one. */
const lists = {
  agent: "agents",
  "data-source": "dataSources",
  file: "files",
  function: "functions",
  key: "keys",
  member: "members",
  schedule: "schedules",
  skill: "skills",
  space: "spaces",
  tool: "tools",
  trigger: "triggers",
  webhook: "webhooks",
  "trace-destination": "traceDestinations",
  alert: "alerts",
} as const;

/** Lists of the server whose names complete. */
export type ListName = (typeof lists)[keyof typeof lists];

/** Options that are not named like what they take. */
const otherOptions: Readonly<Record<string, keyof typeof lists>> = { "editor-id": "member" };

const listOf = (name: string): ListName | undefined =>
  Object.hasOwn(lists, name) ? lists[name as keyof typeof lists] : undefined;

/** `--file` is a file of this machine. */
const listOfOption = (name: string): ListName | undefined =>
  name === "file" ? undefined : listOf(otherOptions[name] ?? name.replace(/-id$/, ""));

/**
 * Completes the names of what is on the server, where commands take one: whatever fails, or takes longer than a
 * second, completes nothing, and says nothing.
 */
export function completeNames(context: Context, program: Command, completer: RootCommand): void {
  const known = new Map<ListName, readonly Name[]>();
  const offer = (list: ListName) => (complete: (word: string, about: string) => void) => {
    for (const { word, about } of known.get(list) ?? []) complete(word, about);
  };
  for (const command of completer.commands.values()) {
    for (const one of command.arguments.values()) {
      const list = listOf(one.name);
      if (list !== undefined) one.handler = offer(list);
    }
    for (const one of command.options.values()) {
      const list = listOfOption(one.value);
      if (list !== undefined && one.isBoolean !== true) one.handler = offer(list);
    }
  }
  program.hook("preAction", async (_program, action) => {
    if (action.name() !== "complete") return;
    const words = action.args;
    const wanted = listsFor(program, words);
    if (wanted.length === 0) return;
    const { readNames } = await import("./names.ts");
    for (const list of wanted) {
      const names = await readNames(context, list, words);
      known.set(list, names ?? []);
      context.state.isOverdue ||= names === undefined;
    }
  });
}

/** The lists that may complete the last of these words. */
function listsFor(program: Command, words: readonly string[]): ListName[] {
  const last = words.at(-1) ?? "";
  const option = last.startsWith("--") ? last.split("=")[0] : words.at(-2);
  if (option?.startsWith("--")) {
    const list = listOfOption(option.slice(2));
    if (list !== undefined) return [list];
  }
  let command = program;
  for (const word of words) {
    command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return command.registeredArguments.flatMap((one) => listOf(one.name()) ?? []);
}
