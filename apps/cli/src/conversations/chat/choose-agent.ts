import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, printLine } from "@parley/command/print";
import { bold, dim, red } from "@parley/command/style";
import { chooseAgent, type NamedAgent } from "../find-agent.ts";
import type { Keyboard } from "./keyboard.ts";
import { printText } from "./print-text.ts";

/** More are named only, not listed. */
const MAX_LISTED = 20;
const MAX_DESCRIPTION = 60;

/** Asks which agent to talk to; the only one is not asked for. Undefined if somebody leaves. */
export async function askForAgent(
  io: Io,
  keyboard: Keyboard,
  agents: readonly NamedAgent[],
): Promise<NamedAgent | undefined> {
  const [first] = agents;
  if (first === undefined) throw new CommandError("No agents yet: create one in parley console");
  if (agents.length === 1) return first;
  const listed = agents.slice(0, MAX_LISTED);
  listed.forEach((agent, index) =>
    printLine(io, `${String(index + 1).padStart(3)}. ${describeAgent(io, agent)}`),
  );
  const left = agents.length - listed.length;
  if (left > 0) printText(io, dim(io, `     and ${left} more; type a name (Tab completes it)`));
  const complete = (line: string) =>
    agents.map(({ name }) => name).filter((name) => name.startsWith(line));
  for (;;) {
    const typed = await keyboard.read({ prompt: "agent (number or name)> ", complete });
    if (typed.kind !== "line") return undefined;
    const text = typed.text.trim();
    const numbered = /^\d+$/.test(text) ? listed[Number(text) - 1] : undefined;
    if (numbered !== undefined) return numbered;
    if (text === "") continue;
    try {
      return chooseAgent(agents, text);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      printText(io, red(io, error.message));
    }
  }
}

/** An agent in a line. */
export function describeAgent(io: Io, { name, description }: NamedAgent): string {
  const about = oneLine(description);
  const cut = about.length > MAX_DESCRIPTION ? `${about.slice(0, MAX_DESCRIPTION - 1)}…` : about;
  return `${bold(io, oneLine(name))}${cut === "" ? "" : dim(io, `: ${cut}`)}`;
}
