import { accessExamples } from "./access.ts";
import { agentExamples } from "./agents.ts";
import { operationExamples } from "./operations.ts";

/** All examples, as a person types them. */
export const examples: readonly string[] = [
  ...operationExamples,
  ...agentExamples,
  ...accessExamples,
];

/** What somebody does first. */
export const firstExamples: readonly string[] = [
  "parley serve --demo",
  'parley ask "What can you do?" --agent helper',
  "parley help agents create",
];

/** Examples that the help of a group has: of its first commands, one of each. */
const OF_GROUP = 3;

/** The examples of a command, such as `parley agents list`. */
export const examplesOf = (command: string): string[] =>
  examples.filter((line) => line === command || line.startsWith(`${command} `));

/** Examples for a group of commands, of the commands in it. */
export const examplesOfGroup = (commands: readonly string[]): string[] =>
  commands.flatMap((command) => examplesOf(command).slice(0, 1)).slice(0, OF_GROUP);
