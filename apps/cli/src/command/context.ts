import type { Connect } from "./clients.ts";
import type { Io } from "./io.ts";

/** What each command is given. */
export interface Context {
  readonly io: Io;
  /** Makes the clients of a server. */
  readonly connect: Connect;
  /** What the command that runs has come to, for who explains its failure. */
  readonly state: {
    /** Whether developers want to know more, as `--debug` says. */
    isDebugging: boolean;
    /** Whether it calls a server: what breaks after that is about its answers. */
    isConnected: boolean;
    /** What the process exits with after a command that has said itself what is wrong. */
    exitCode: number;
  };
}

/** The context of a command that has not begun. */
export const createContext = (io: Io, connect: Connect): Context => ({
  io,
  connect,
  state: { isDebugging: false, isConnected: false, exitCode: 0 },
});
