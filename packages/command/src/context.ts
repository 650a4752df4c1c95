import type { Io } from "./io.ts";

/** What each command is given. */
export interface CommandContext {
  readonly io: Io;
  /** Gives the version of the installed package. */
  readonly readVersion: () => string;
  /** How far the running command has come, to explain a failure. */
  readonly state: {
    /** Whether developers want to know more, as `--debug` says. */
    isDebugging: boolean;
    /** Whether it calls a server: what breaks after that is about its answers. */
    isConnected: boolean;
    /** Whether something is still under way that nobody waits for: the process ends without it. */
    isOverdue: boolean;
    /** What the process exits with after a command that has said itself what is wrong. */
    exitCode: number;
  };
}
