import { isDeepStrictEqual } from "node:util";
import type { ServerConnection } from "../connection/connect.ts";
import type { SecretSource } from "./secret-source.ts";
import type { Kind } from "./workspace-state.ts";

/** A member that is changed, and how. */
export interface ChangedMember {
  readonly name: string;
  /** Lines that begin with `-` or `+`, where those say more than the name. */
  readonly lines: readonly string[];
}

/** What runs a plan. */
export interface Applying {
  readonly connection: ServerConnection;
  /** Ids by kind and name, those of created things too. */
  readonly ids: Readonly<Record<Kind | "space", Map<string, string>>>;
  readonly secrets: SecretSource;
}

type Action = "create" | "update" | "restore" | "remove" | "unchanged" | "keep";

/** What a plan does with one thing. Things that are not in the folder are kept, or removed. */
export interface Step {
  readonly kind: Kind | "workspace" | "space";
  readonly name: string;
  readonly action: Action;
  readonly members: readonly ChangedMember[];
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
  /** Makes the change; absent where there is none to make. */
  readonly run?: (applying: Applying) => Promise<void>;
}

/** Whether a step changes the workspace. */
export const isChange = ({ action }: Step): boolean => action !== "unchanged" && action !== "keep";

/** The members of `after` that `before` has otherwise. */
export function differencesOf<T extends object>(before: T, after: T): string[] {
  const values = (of: T) => of as Readonly<Record<string, unknown>>;
  return Object.keys(after).filter(
    (name) => !isDeepStrictEqual(values(before)[name], values(after)[name]),
  );
}
