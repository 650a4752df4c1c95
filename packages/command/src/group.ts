import { Command } from "commander";

/** Makes a command of others, which it shows if none of them is named, unless one is called `byDefault`. */
export function group(
  name: string,
  description: string,
  commands: readonly object[],
  { byDefault }: { readonly byDefault?: string } = {},
): Command {
  const made = new Command(name).description(description);
  for (const one of commands) {
    const command = one as Command;
    made.addCommand(command, { isDefault: command.name() === byDefault });
  }
  return made;
}
