import { Command } from "@commander-js/extra-typings";
import { withServer } from "../connection/server-options.ts";
import type { Context } from "../command/context.ts";

const doctor = (context: Context) =>
  withServer(new Command("doctor"))
    .description("say what is wrong with this machine and its server, and what to do")
    .addHelpText(
      "after",
      `
It looks at Node, settings, database, disk, ports, clocks, the sandbox and the server that commands call, and changes
nothing. It exits with 1 where something fails; a warning is no failure.`,
    )
    .action(async (options) => (await import("./run-doctor.ts")).runDoctor(context, options));

/** Makes the command that examines the machine of a server. */
export const createDoctorCommand = (context: Context) => doctor(context);
