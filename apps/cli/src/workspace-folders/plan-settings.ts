import { callServer } from "../connection/call-server.ts";
import type { ReadSpace } from "./workspace-state.ts";
import { type Applying, differencesOf, type Step } from "./plan.ts";
import { diffValues } from "./text-diff.ts";
import type { Planning } from "./planning.ts";
import { SETTINGS_FILE } from "./settings-file.ts";

/** Plans the settings of the workspace. */
export function planSettings({ declared, state, faults }: Planning): Step[] {
  const { settings } = declared;
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length === 0) return [];
  if (state.settings === undefined) {
    const message = "workspace: is for keys of admins; use one, or leave the settings out";
    faults.push({ file: SETTINGS_FILE, message });
    return [];
  }
  const before: Readonly<Record<string, unknown>> = { ...state.settings };
  const after: Readonly<Record<string, unknown>> = Object.fromEntries(given);
  const changed = differencesOf(before, after);
  const members = changed.map((name) => ({ name, lines: diffValues(before[name], after[name]) }));
  const step = { kind: "workspace", name: state.name, members, secrets: [] } as const;
  if (members.length === 0) return [{ ...step, action: "unchanged" }];
  const { name, region, regionalModelsOnly, models } = settings;
  const run = async ({ connection: { rpc, wId } }: Applying) => {
    const change = { name, region, regionalModelsOnly, models: models && [...models] };
    await callServer(rpc.workspaces.update.mutate({ wId, ...change }));
  };
  return [{ ...step, action: "update", run }];
}

/** Plans the spaces that the folder declares; others are left alone. */
export function planSpaces({ declared, state, faults }: Planning): Step[] {
  return declared.spaces.flatMap(({ name, isRestricted }): Step[] => {
    const found = state.spaces.filter((space) => space.name === name && !space.isOpen);
    const refuse = (message: string) => {
      faults.push({ file: SETTINGS_FILE, message: `spaces: ${message}` });
      return [];
    };
    if (found.length > 1) return refuse(severalSpaces(name, found));
    const [before] = found;
    const step = { kind: "space", name, secrets: [] } as const;
    if (before?.isRestricted === isRestricted) {
      return [{ ...step, action: "unchanged", members: [] }];
    }
    if (state.settings === undefined) return refuse(`${name}: needs a key of an admin`);
    if (before === undefined) {
      const run = async ({ connection: { rpc, wId }, ids }: Applying) => {
        // Nobody reaches a restricted space whom it does not name, and its tools come next.
        const keyIds = state.keyId === undefined ? [] : [state.keyId];
        const creating = rpc.spaces.create.mutate({ wId, name, isRestricted, keyIds });
        const { space } = await callServer(creating);
        ids.space.set(name, space.sId);
      };
      return [{ ...step, action: "create", members: [], run }];
    }
    const { id: spaceId } = before;
    const run = async ({ connection: { rpc, wId } }: Applying) => {
      await callServer(rpc.spaces.update.mutate({ wId, spaceId, isRestricted }));
    };
    const lines = diffValues(before.isRestricted, isRestricted);
    return [{ ...step, action: "update", members: [{ name: "isRestricted", lines }], run }];
  });
}

/** Adds a fault where a space is neither declared nor in the workspace. */
export function requireSpaces(
  { declared, state, faults }: Planning,
  { file, names }: { readonly file: string; readonly names: readonly string[] },
): void {
  for (const name of names) {
    if (declared.spaces.some((space) => space.name === name)) continue;
    const found = state.spaces.filter((space) => space.name === name);
    if (found.length === 1) continue;
    const none = `neither ${SETTINGS_FILE} nor the workspace has the space ${name}`;
    faults.push({ file, message: found.length === 0 ? none : severalSpaces(name, found) });
  }
}

const severalSpaces = (name: string, found: readonly ReadSpace[]): string =>
  `the workspace has several spaces ${name}: rename all but one of ${found.map(({ id }) => id).join(", ")}`;
