import { CommandError } from "@parley/command/command-error";

interface Wanted {
  /** The setting of the port; that of its host ends otherwise. */
  readonly setting: "PARLEY_PORT" | "PARLEY_METRICS_PORT";
  readonly host: string;
  readonly port: number;
}

/** Why a process cannot listen where its settings say, as `CommandError`; other errors as they are. */
export function refusedPort(error: unknown, { setting, host, port }: Wanted): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  const hostSetting = setting.replace("PORT", "HOST");
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another program: set ${setting} to another port, or to 0 for any free one`,
    EACCES: `this user cannot listen on port ${port}: set ${setting} to a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: correct ${hostSetting}`,
    ENOTFOUND: `${host} is not a known host: correct ${hostSetting}`,
  };
  const sentence = why[code];
  return sentence === undefined ? error : new CommandError(sentence, { cause: error });
}
