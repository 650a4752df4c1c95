import type { World } from "./world.ts";

/** What its preparation gives a command: values for its arguments. */
export type Prepared = Readonly<Record<string, string>>;

/** A text, or one that has the key of the situation in it. */
type Typed = string | ((settings: Readonly<Record<string, string>>) => string);

/** The text that is typed. */
export const typedIn = (typed: Typed, settings: Readonly<Record<string, string>>): string =>
  typeof typed === "string" ? typed : typed(settings);

/** A command, and how it is run in each situation. */
export interface Entry {
  /** Its words, as in `functions push`. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | ((prepared: Prepared) => readonly string[]);
  /** Makes what the arguments name, in a workspace and a folder of the run's own. */
  readonly prepare?: (world: World) => Promise<Prepared | void>;
  /** Standard input in a pipe. */
  readonly input?: Typed;
  /** On a terminal: what it asks, and what is typed then. */
  readonly asked?: readonly (readonly [question: string, keys: Typed])[];
  /**
   * What is typed if it asks whether it may destroy something: in a pipe it is run with `--yes`, and once without,
   * which it refuses.
   */
  readonly confirmed?: string;
  /** How it exits in a pipe if nothing is wrong; 0 by default. */
  readonly exits?: number;
  /** For commands that never end by themselves: what they print before Ctrl-C ends them. */
  readonly until?: RegExp;
  /** The key that it is called with, if it is not that of the workspace's admin. */
  readonly key?: "operator";
  /** Whether a secret is what it is called for. */
  readonly showsSecret?: boolean;
  /**
   * What it opens: a server by its URL, which is the default; PostgreSQL by `DATABASE_URL`; or nothing, so that it
   * prints the same in every situation.
   */
  readonly opens?: "server" | "database" | "nothing";
  /** Settings beside those that name what it opens. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What it has printed when the server dies; by default that is within the first answer. */
  readonly diesOnce?: RegExp;
  /** Texts that differ between two runs. */
  readonly varying?: readonly (readonly [pattern: RegExp, word: string])[];
}
