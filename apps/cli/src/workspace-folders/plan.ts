import type { Change, Kind, KindName, Listed, Read } from "./kind.ts";
import {
  type Declared,
  declaredNames,
  type DeclaredWorkspace,
  type Definitions,
  kindNames,
  kinds,
  type WorkspaceState,
} from "./kinds.ts";
import { planSettings, planSpaces, requireSpaces } from "./settings.ts";
import { changedMembers, type Step } from "./steps.ts";
import type { Fault } from "./yaml-file.ts";

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

/** What makes a workspace what its folder declares, in an order in which each thing finds what it names. */
export const makePlan = (planning: Planning): Step[] => [
  ...planSettings(planning),
  ...planSpaces(planning),
  ...kindNames.flatMap((kind) =>
    inOrder(kind, planning.declared.things[kind]).flatMap((one) => planThing(planning, kind, one)),
  ),
  ...planOthers(planning),
];

/** The things of a kind, each after those of the kind that it needs; in a circle, one comes first. */
function inOrder<K extends KindName>(
  kindName: K,
  declared: readonly Declared<Definitions[K]>[],
): Declared<Definitions[K]>[] {
  const kind: Kind<Definitions[K]> = kinds[kindName];
  const byName = new Map(declared.map((one) => [kind.nameOf(one.definition), one]));
  const ordered = new Set<Declared<Definitions[K]>>();
  const seen = new Set<Declared<Definitions[K]>>();
  const add = (one: Declared<Definitions[K]>): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const [used, names] of kind.usesOf(one.definition)) {
      if (used !== kindName) continue;
      for (const name of names) {
        const needed = byName.get(name);
        if (needed !== undefined) add(needed);
      }
    }
    ordered.add(one);
  };
  declared.forEach(add);
  return [...ordered];
}

/** Plans how a thing is created, changed, restored or left; adds faults if that cannot be. */
function planThing<K extends KindName>(
  planning: Planning,
  kindName: K,
  { file, definition: after }: Declared<Definitions[K]>,
): Step[] {
  const kind: Kind<Definitions[K]> = kinds[kindName];
  const { state, faults } = planning;
  for (const [used, names] of kind.usesOf(after)) {
    if (used === "space") requireSpaces(planning, { file, names });
    else requireNames(planning, used, { file, names });
  }
  const name = kind.nameOf(after);
  const before = findNamed(planning, kindName, { file, name });
  if (before === "fault") return [];
  const key = { isAdmin: state.settings !== undefined };
  const message = kind.findFault?.(after, before, key);
  if (message !== undefined) {
    faults.push({ file, message });
    return [];
  }
  const step = { kind: kindName, name };
  const secretsFor = (changed?: ReadonlySet<string>) => kind.secretsOf?.(after, changed) ?? [];
  if (before === undefined) {
    const run: Step["run"] = async (applying) => {
      applying.ids[kindName].set(name, await kind.create(applying, after, key));
    };
    return [{ ...step, action: "create", members: [], secrets: secretsFor(), run }];
  }
  const { definition, isArchived } = before;
  const members = changedMembers(
    kind.compared(definition, definition),
    kind.compared(after, definition),
  );
  const renewed = planning.renewSecrets ? secretsFor() : [];
  const needed = secretsFor(new Set(members.map((member) => member.name)));
  if (renewed.length > 0) members.push({ name: "secrets", lines: [] });
  if (members.length === 0 && !isArchived) {
    return [{ ...step, action: "unchanged", members, secrets: [] }];
  }
  const changed = new Set(members.map((member) => member.name));
  const change: Change<Definitions[K]> = { before, after, changed };
  const secrets = [...new Set([...needed, ...renewed])];
  const run: Step["run"] = async (applying) => kind.update(applying, change);
  return [{ ...step, action: isArchived ? "restore" : "update", members, secrets, run }];
}

/** Adds a fault for each name that neither the folder nor the workspace has after the plan. */
function requireNames(
  planning: Planning,
  kind: KindName,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): void {
  const { state, prune, faults } = planning;
  const declared = declaredNames(kind, planning.declared.things[kind]);
  for (const name of names) {
    if (declared.has(name)) continue;
    const found = state.listed[kind].filter((one) => one.name === name && !one.isArchived);
    if (found.length === 1 && (!prune || found[0]?.isBuiltIn === true)) continue;
    const why =
      found.length === 0
        ? `neither the folder nor the workspace has the ${kind} ${name}`
        : found.length > 1
          ? severalOf(kind, name, found)
          : `the folder does not declare the ${kind} ${name}, so --prune would remove it`;
    faults.push({ file, message: `${kinds[kind].folder}: ${why}` });
  }
}

export const severalOf = (kind: string, name: string, found: readonly Listed[]): string =>
  `the workspace has several ${kind}s named ${name}, and folders match by name: ` +
  `rename all but one of ${found.map(({ id }) => id).join(", ")}`;

/**
 * The thing of the workspace with a name, to be changed, or restored if it is archived. Undefined if there is none; a
 * fault if there are several, or it is built in.
 */
function findNamed<K extends KindName>(
  { state, faults }: Planning,
  kind: K,
  { file, name }: { readonly file: string; readonly name: string },
): Read<Definitions[K]> | "fault" | undefined {
  const all = state.listed[kind].filter((one) => one.name === name);
  const active = all.filter((one) => !one.isArchived);
  const found = active.length > 0 ? active : all;
  const refuse = (message: string) => {
    faults.push({ file, message });
    return "fault" as const;
  };
  const builtIn = active.find((one) => one.isBuiltIn === true);
  if (builtIn !== undefined) {
    return refuse(`the ${kind} ${name} is built in and cannot be changed: choose another name`);
  }
  if (active.length > 1) return refuse(severalOf(kind, name, active));
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    return refuse(
      `the workspace has several archived ${kind}s named ${name}: restore one of ${ids}, or rename them`,
    );
  }
  const [one] = found;
  const read: readonly Read<Definitions[K]>[] = state.read[kind];
  return one && read.find(({ id }) => id === one.id);
}

/** Plans what is not in the folder: it is removed or archived if that was asked for, else kept. */
function planOthers({ declared, state, prune }: Planning): Step[] {
  // What depends on others comes before them.
  return (
    [
      "trace destination",
      "alert",
      "webhook",
      "trigger",
      "schedule",
      "agent",
      "function",
      "skill",
      "tool",
    ] as const
  ).flatMap((kind) => {
    const names = declaredNames(kind, declared.things[kind]);
    return state.listed[kind]
      .filter((one) => !one.isArchived && one.isBuiltIn !== true && !names.has(one.name))
      .map((one): Step => {
        const step = { kind, name: one.name, members: [], secrets: [] } as const;
        if (!prune) return { ...step, action: "keep" };
        const run: Step["run"] = async ({ connection }) => kinds[kind].remove(connection, one);
        return { ...step, action: "remove", run };
      });
  });
}
