import { CommandError } from "@parley/command/command-error";
import { plain, printLine } from "@parley/command/print";
import { bold, dim } from "@parley/command/style";
import { chooseAgent, type NamedAgent } from "../find-agent.ts";
import type { Chat } from "./chat-state.ts";
import { describeAgent } from "./describe-agent.ts";
import { printText } from "./print-text.ts";

const commands = {
  "/help": "show this",
  "/agent": "switch to another agent; /agent alone lists them",
  "/new": "start a new conversation",
  "/raw": "print the last answer as plain Markdown, for copying",
  "/reasoning": "show or hide the model's reasoning",
  "/exit": "leave (or Ctrl-D)",
} as const;

type CommandName = keyof typeof commands;

const notes = [
  "End a line with \\, or press Alt-Enter, to continue on the next. Pasted lines are sent when you press Enter.",
  "Begin a message with @<name> to switch to that agent. Type a space before / or @ to send it literally.",
  "Arrow up recalls earlier messages. Ctrl-C cancels an answer or clears the line; pressed twice, it leaves.",
];

/** Does what a line that begins with `/` says. Returns whether the chat continues. Throws `CommandError`. */
export function runCommand(chat: Chat, line: string): boolean {
  const { io } = chat.context;
  const [, name = "", argument = ""] = /^(\S+)\s*([^]*)$/.exec(line) ?? [];
  if (!isCommand(name)) {
    throw new CommandError(
      "Unknown command. /help lists them; type a space first to send it as a message",
    );
  }
  const run: Record<CommandName, () => void> = {
    "/help": () => {
      for (const [command, what] of Object.entries(commands)) {
        printText(io, `${bold(io, command.padEnd(11))} ${what}`);
      }
      for (const note of notes) printText(io, dim(io, note));
    },
    "/agent": () => {
      if (argument.trim() === "")
        return chat.agents.forEach((one) => printText(io, describeAgent(io, one)));
      chat.agent = chooseAgent(chat.agents, argument.trim());
    },
    "/new": () => {
      chat.conversationId = undefined;
    },
    "/raw": () => printLine(io, plain(chat.lastAnswer) || dim(io, "No answer yet")),
    "/reasoning": () => {
      chat.showsReasoning = !chat.showsReasoning;
      printLine(io, dim(io, `Reasoning is ${chat.showsReasoning ? "shown" : "hidden"}`));
    },
    "/exit": () => {},
  };
  run[name]();
  return name !== "/exit";
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

/**
 * The agent that `@<name>` at the start of a message names, which may have spaces, and the message without it.
 * Undefined if it begins with something else. Throws `CommandError` if there is no such agent.
 */
export function readMention(
  agents: readonly NamedAgent[],
  message: string,
): { readonly agent: NamedAgent; readonly content: string } | undefined {
  if (!message.startsWith("@")) return undefined;
  const rest = message.slice(1);
  const isNamed = (name: string): boolean =>
    rest.startsWith(name) && /^(?:\s|$)/.test(rest.slice(name.length));
  const names = agents.flatMap(({ sId, name }) => [name, sId]).filter(isNamed);
  const [longest] = names.toSorted((a, b) => b.length - a.length);
  const name = longest ?? /^\S*/.exec(rest)?.[0] ?? "";
  return { agent: chooseAgent(agents, name), content: rest.slice(name.length).trimStart() };
}

/** What a line may become with Tab. */
export function completeLine(agents: readonly NamedAgent[], line: string): string[] {
  const names = agents.map(({ name }) => name);
  return [
    ...Object.keys(commands),
    ...names.flatMap((name) => [`/agent ${name}`, `@${name} `]),
  ].filter((one) => line !== "" && one.startsWith(line));
}
