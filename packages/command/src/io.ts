import type { Readable, Writable } from "node:stream";

/** Standard input; a terminal can give its keys one by one. */
export type Input = Readable & { setRawMode?(isRaw: boolean): unknown };

/** Standard output or standard error; a terminal has a size, and says when it changes. */
export type Output = Writable & { readonly columns?: number; readonly rows?: number };

/** Signals to the process, by their names, and `exit` when it ends. */
export interface Signals {
  on(name: NodeJS.Signals | "exit", listener: () => void): unknown;
  once(name: NodeJS.Signals | "exit", listener: () => void): unknown;
  off(name: NodeJS.Signals | "exit", listener: () => void): unknown;
}

/**
 * All that a command has of its process, but for the working directory, from which the system finds files. Commands
 * are given it, so that many can run in one process.
 */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** How wide standard output is; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  readonly isTerminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
  };
  /** Settings of a `.env` are added to it by commands on the machine of a server. */
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: Signals;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}
