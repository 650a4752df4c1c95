import type { Command } from "@commander-js/extra-typings";
import type { CommandContext } from "@parley/command/context";
import type { CalledServer } from "./surroundings.ts";

/**
 * Makes the command that examines the machine of a server, of one whose options name the server that commands call;
 * `open` gives what the client knows of that.
 */
export const createDoctorCommand = <Options extends { readonly json?: true | undefined }>(
  context: CommandContext,
  command: Command<[], Options>,
  open: (options: Options) => Promise<CalledServer>,
) =>
  command
    .description("check this machine and its server, and suggest fixes")
    .addHelpText(
      "after",
      `
It checks Node, settings, database, disk, ports, clocks, the sandbox and the current server, and changes nothing. It
exits with 1 if a check fails; warnings do not count.`,
    )
    .action(async (options) => {
      const { runDoctor } = await import("./run-doctor.ts");
      await runDoctor(context, await open(options), { json: options.json });
    });
