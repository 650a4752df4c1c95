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

const priced = "mistral/mistral-large-latest";

const rates = { input: "2", output: "6" };

/** The first in the list, which nothing removes. */
async function withFirstPrice({ operator }: World): Promise<Prepared> {
  const model = { providerId: "anthropic", modelId: "claude-opus-5-5" };
  await operator.prices.setServer.mutate({ ...model, ...rates });
  return {};
}

const currencies = Intl.supportedValuesOf("currency").values();

/** A price of the run's own: no other has its currency. */
async function withPrice({ operator }: World): Promise<Prepared> {
  const model = { providerId: "mistral", modelId: "mistral-large-latest" };
  const { value: currency = "USD" } = currencies.next();
  await operator.prices.setServer.mutate({ ...model, ...rates, currency });
  return { currency };
}

async function withBudget({ operator }: World): Promise<Prepared> {
  const limits = { name: "Everybody", limit: "1000", period: "all", isHard: false } as const;
  const { budget: created } = await operator.budgets.createServer.mutate(limits);
  return { key: created.sId };
}

const budget = { ...key, prepare: withBudget } as const satisfies Omit<Entry, "command">;

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
  {
    command: "server-prices list",
    key: "operator",
    prepare: withFirstPrice,
    args: ["--limit", "1"],
  },
  {
    command: "server-prices set",
    key: "operator",
    args: ["mistral/mistral-large-latest", "--input", "2", "--output", "6"],
  },
  {
    command: "server-prices remove",
    key: "operator",
    prepare: withPrice,
    args: ({ currency = "" }) => [priced, "--currency", currency],
    confirmed: priced,
  },
  { command: "server-budgets list", key: "operator", prepare: withBudget, args: ["--limit", "1"] },
  {
    command: "server-budgets create",
    key: "operator",
    args: ["Everybody", "--limit", "1000", "--period", "month", "--no-is-hard"],
  },
  { command: "server-budgets update", ...budget, args: ({ key: id = "" }) => [id, "--limit", "2"] },
  { command: "server-budgets remove", ...budget, confirmed: "Everybody" },
];
