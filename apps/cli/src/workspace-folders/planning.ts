import type { Fault } from "./faults.ts";
import type { DeclaredWorkspace } from "./read-workspace-folder.ts";
import type { Kind, Listed, Read, WorkspaceState } from "./workspace-state.ts";

/** What the plans of all kinds share. */
export interface Planning {
  readonly declared: DeclaredWorkspace;
  readonly state: WorkspaceState;
  /** Whether what the folder does not have is removed. */
  readonly prune: boolean;
  /** Whether secrets of connections are sent although nothing else differs. */
  readonly renewSecrets: boolean;
  readonly faults: Fault[];
}

const memberOf = {
  tool: "tools",
  skill: "skills",
  function: "functions",
  agent: "agents",
} as const;

/** The names that the folder declares of a kind. */
export function declaredNames({ declared }: Pick<Planning, "declared">, kind: Kind): Set<string> {
  if (kind === "function") return new Set(declared.functions.map(({ slug }) => slug));
  return new Set(declared[memberOf[kind]].map(({ name }) => name));
}

/** Adds a fault for each name that neither the folder nor the workspace has after the plan. */
export function requireNames(
  planning: Planning,
  kind: Kind,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): void {
  const { state, prune, faults } = planning;
  const declared = declaredNames(planning, kind);
  for (const name of names) {
    if (declared.has(name)) continue;
    const found = state.listed[kind].filter((one) => one.name === name && !one.isArchived);
    const member = memberOf[kind];
    if (found.length === 1 && !prune) continue;
    const why =
      found.length === 0
        ? `neither the folder nor the workspace has the ${kind} ${name}`
        : found.length > 1
          ? severalOf(kind, name, found)
          : `the folder does not have the ${kind} ${name}, and --prune removes it`;
    faults.push({ file, message: `${member}: ${why}` });
  }
}

export const severalOf = (kind: string, name: string, found: readonly Listed[]): string =>
  `the workspace has several ${kind}s ${name}, and names are what folders go by: ` +
  `rename all but one of ${found.map(({ id }) => id).join(", ")}`;

/**
 * The thing of the workspace with a name, to be changed, or restored where it is archived. Undefined where there
 * is none; a fault where there are several, or it is built in.
 */
export function findNamed<D>(
  { state, faults }: Planning,
  kind: Kind,
  {
    file,
    name,
    read,
  }: { readonly file: string; readonly name: string; readonly read: readonly Read<D>[] },
): Read<D> | "fault" | undefined {
  const all = state.listed[kind].filter((one) => one.name === name);
  const active = all.filter((one) => !one.isArchived);
  const found = active.length > 0 ? active : all;
  const refuse = (message: string) => {
    faults.push({ file, message });
    return "fault" as const;
  };
  const builtIn = active.find((one) => one.isBuiltIn === true);
  if (builtIn !== undefined) {
    return refuse(`the ${kind} ${name} is built in, and is not changed: choose another name`);
  }
  if (active.length > 1) return refuse(severalOf(kind, name, active));
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    return refuse(
      `the workspace has several archived ${kind}s ${name}: restore one of ${ids}, or rename them`,
    );
  }
  const [one] = found;
  return one && read.find(({ id }) => id === one.id);
}
