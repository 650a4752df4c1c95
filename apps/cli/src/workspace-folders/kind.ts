import type { ServerConnection } from "../connection/connect.ts";
import type { SecretSource } from "./secrets.ts";
import type { ReadFile } from "./yaml-file.ts";

/** The kinds of things that have a name, and are created and changed. */
export type KindName =
  | "tool"
  | "skill"
  | "function"
  | "agent"
  | "schedule"
  | "trigger"
  | "webhook"
  | "alert"
  | "trace destination";

/** Something of a workspace, by its name. */
export interface Listed {
  readonly name: string;
  readonly id: string;
  /** Archived things are there again when they are restored. */
  readonly isArchived: boolean;
  /** Built-in things are left alone. */
  readonly isBuiltIn?: boolean;
  /** The version, if the list has it. */
  readonly version?: number;
}

/** Something that was read, in the version that it had. */
export interface Read<D> extends Listed {
  readonly version: number;
  readonly definition: D;
}

export interface ReadSpace {
  readonly name: string;
  readonly id: string;
  readonly isOpen: boolean;
  readonly isRestricted: boolean;
}

/** An entry of the folder of a kind. */
export interface Entry {
  /** Its path in the workspace's folder, as in `agents/clerk.yaml`. */
  readonly file: string;
  readonly place: string;
  /** The paths of all entries of the kind. */
  readonly entries: readonly string[];
  /** The text of a file of the workspace's folder, exactly. Throws `CommandError`. */
  readonly text: (file: string) => Promise<string>;
}

/** The files of a thing, by their paths in the workspace's folder. */
export interface WrittenFiles {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Paths of those that are executable. */
  readonly executables?: readonly string[];
  /** Files for editors, which declare nothing: they are written only if there are none. */
  readonly forEditors?: Readonly<Record<string, string>>;
}

/** What runs a plan. */
export interface Applying {
  readonly connection: ServerConnection;
  /** Ids by kind and name, those of created things too. */
  readonly ids: Readonly<Record<KindName | "space", Map<string, string>>>;
  readonly secrets: SecretSource;
  /** What is done once all of the plan is: parts of things that name others which were created after them. */
  readonly afterAll: { readonly of: string; readonly run: () => Promise<void> }[];
}

/** What becomes of a thing that the workspace has. */
export interface Change<D> {
  readonly before: Read<D>;
  readonly after: D;
  /** Names of the members that differ. */
  readonly changed: ReadonlySet<string>;
}

/** What a kind of thing is on disk, and how a plan makes it. Definitions have names and never ids. */
export interface Kind<D> {
  /** The name of the folder that has its files, and of the members that name its things. */
  readonly folder: string;
  readonly nameOf: (definition: D) => string;
  /** Whether an entry of the folder, or of a folder in it, declares something. */
  readonly isTaken: (name: string) => boolean;
  /** Reads what an entry declares: no faults and no value if it belongs to another. */
  readonly read: (entry: Entry) => Promise<ReadFile<D>>;
  /** Writes the files of a thing, whose paths begin with `stem`. */
  readonly write: (definition: D, stem: string) => WrittenFiles;
  /** The names of the other things that it needs. */
  readonly usesOf: (definition: D) => readonly (readonly [KindName | "space", readonly string[]])[];
  /** Why the workspace's thing cannot become the folder's, or that of a folder cannot be created. */
  readonly findFault?: (
    after: D,
    before: Read<D> | undefined,
    key: { readonly isAdmin: boolean },
  ) => string | undefined;
  /** The members that tell whether a thing is as the folder declares it. */
  readonly compared: (definition: D, before: D) => Readonly<Record<string, unknown>>;
  /** The names of the secrets that a change of these members needs, or a creation. */
  readonly secretsOf?: (definition: D, changed?: ReadonlySet<string>) => readonly string[];
  /** Returns the id. */
  readonly create: (
    applying: Applying,
    definition: D,
    key: { readonly isAdmin: boolean },
  ) => Promise<string>;
  /** Changes the members that differ, and restores what is archived. */
  readonly update: (applying: Applying, change: Change<D>) => Promise<void>;
  /** Archives what can be restored, and removes what cannot. */
  readonly remove: (connection: ServerConnection, one: Listed) => Promise<void>;
}

const isReadme = (name: string): boolean => /^README(?:\..*)?$/i.test(name);
const isHidden = (name: string): boolean => name.startsWith(".");

/** Whether a name is neither hidden nor that of a text for readers. */
export const isDeclaration = (name: string): boolean => !isHidden(name) && !isReadme(name);

/** Whether a name is not hidden. */
export const isShown = (name: string): boolean => !isHidden(name);
