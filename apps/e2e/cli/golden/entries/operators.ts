import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const named = async ({ wId }: World): Promise<Prepared> => ({ wId });

async function suspended({ operator, wId }: World): Promise<Prepared> {
  await operator.workspaces.suspend.mutate({ wId });
  return { wId };
}

async function withKey({ operator }: World): Promise<Prepared> {
  const { operatorKey } = await operator.operatorKeys.create.mutate({ name: "nightly" });
  return { key: operatorKey.sId };
}

const workspace = {
  key: "operator",
  prepare: named,
  args: ({ wId = "" }: Prepared) => [wId],
} as const satisfies Omit<Entry, "command">;

const key = {
  key: "operator",
  prepare: withKey,
  args: ({ key: id = "" }: Prepared) => [id],
} as const satisfies Omit<Entry, "command">;

/** Commands of operators, about the whole server. Its lists have what other runs have made: one row is shown. */
export const operatorEntries: readonly Entry[] = [
  { command: "workspaces list", key: "operator", args: ["--limit", "1"] },
  { command: "workspaces get", ...workspace },
  { command: "workspaces usage", ...workspace },
  { command: "workspaces create", key: "operator", args: ["Shop"], showsSecret: true },
  { command: "workspaces update", ...workspace, args: ({ wId = "" }) => [wId, "--name", "Shop"] },
  { command: "workspaces suspend", ...workspace, confirmed: "Acme" },
  { command: "workspaces resume", ...workspace, prepare: suspended },
  { command: "workspaces remove", ...workspace, prepare: suspended, confirmed: "Acme" },
  { command: "operator-keys list", key: "operator", prepare: withKey, args: ["--limit", "1"] },
  { command: "operator-keys get", ...key },
  { command: "operator-keys create", key: "operator", args: ["nightly"], showsSecret: true },
  { command: "operator-keys rotate", ...key, confirmed: "nightly", showsSecret: true },
  { command: "operator-keys remove", ...key, confirmed: "nightly" },
];
