import { Command } from "commander";

/** Makes a command of others, which it shows if none of them is named. */
export function group(name: string, description: string, commands: readonly object[]): Command {
  const made = new Command(name).description(description);
  for (const command of commands) made.addCommand(command as Command);
  return made;
}
