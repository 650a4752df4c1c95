import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const withSpace = async ({ rpc, wId }: World): Promise<void> =>
  void (await rpc.spaces.create.mutate({ wId, name: "Support", isRestricted: true }));

const withMember = async ({ rpc, wId }: World): Promise<void> =>
  void (await rpc.members.add.mutate({ wId, email: "ada@acme.example", firstName: "Ada" }));

const withKey = async ({ rpc, wId }: World): Promise<void> =>
  void (await rpc.apiKeys.create.mutate({ wId, name: "backend", role: "user" }));

const withCredential = async ({ rpc, wId }: World): Promise<void> =>
  void (await rpc.providerCredentials.put.mutate({
    wId,
    providerId: "openai",
    apiKey: "not-logged-credential",
  }));

const withPrice = async ({ rpc, wId }: World): Promise<void> => {
  const model = { providerId: "noop", modelId: "noop" };
  await rpc.prices.set.mutate({ wId, ...model, input: "0.5", output: "2" });
};

const withBudget = async ({ rpc, wId }: World): Promise<void> => {
  const budget = { name: "Team", limit: "250", period: "all", scope: "api_key" } as const;
  await rpc.budgets.create.mutate({ wId, ...budget });
};

const credential = {
  input: "not-logged-credential\n",
  asked: [["the credential for openai:", "not-logged-credential\r"]],
} as const;

/** Commands about who may do what in a workspace. */
export const accessEntries: readonly Entry[] = [
  { command: "spaces list", prepare: withSpace },
  { command: "spaces get", prepare: withSpace, args: ["Support"] },
  { command: "spaces create", args: ["Support", "--is-restricted"] },
  { command: "spaces update", prepare: withSpace, args: ["Support", "--name", "Help"] },
  { command: "spaces remove", prepare: withSpace, args: ["Support"], confirmed: "Support" },
  { command: "members list", prepare: withMember },
  { command: "members get", prepare: withMember, args: ["ada@acme.example"] },
  { command: "members create", args: ["ada@acme.example", "--first-name", "Ada"] },
  {
    command: "members remove",
    prepare: withMember,
    args: ["ada@acme.example"],
    confirmed: "ada@acme.example",
  },
  {
    command: "users tokens create",
    args: ["--external-id", "customer-1017", "--first-name", "Ada", "--scope", "agents:read"],
    showsSecret: true,
  },
  {
    command: "users tokens revoke",
    prepare: withMember,
    args: ["--user-id", "ada@acme.example"],
    confirmed: "ada@acme.example",
  },
  { command: "keys list", prepare: withKey },
  { command: "keys get", prepare: withKey, args: ["backend"] },
  { command: "keys create", args: ["backend", "--role", "user"], showsSecret: true },
  { command: "keys update", prepare: withKey, args: ["backend", "--role", "builder"] },
  {
    command: "keys rotate",
    prepare: withKey,
    args: ["backend"],
    confirmed: "backend",
    showsSecret: true,
  },
  { command: "keys remove", prepare: withKey, args: ["backend"], confirmed: "backend" },
  { command: "models list" },
  { command: "models enable", args: ["openai/gpt-5"] },
  { command: "models disable", args: ["noop/noop"] },
  { command: "credentials list", prepare: withCredential },
  { command: "credentials get", prepare: withCredential, args: ["openai"] },
  { command: "credentials create", args: ["openai"], ...credential },
  { command: "credentials update", prepare: withCredential, args: ["openai"], ...credential },
  {
    command: "credentials remove",
    prepare: withCredential,
    args: ["openai"],
    confirmed: "openai",
  },
  { command: "prices list", prepare: withPrice },
  {
    command: "prices set",
    args: ["openai/gpt-5", "--input", "1.25", "--output", "10", "--note", "Contract"],
  },
  {
    command: "prices remove",
    prepare: withPrice,
    args: ["noop/noop"],
    confirmed: "noop/noop",
  },
  { command: "budgets list", prepare: withBudget },
  {
    command: "budgets create",
    args: ["Team", "--limit", "250", "--period", "month", "--scope", "workspace"],
  },
  { command: "budgets update", prepare: withBudget, args: ["Team", "--limit", "300"] },
  { command: "budgets remove", prepare: withBudget, args: ["Team"], confirmed: "Team" },
  { command: "audit list", prepare: withSpace },
  {
    command: "usage",
    args: ["--by", "agent"],
    varying: [[/(?<="date":")[\d-]+/g, "DAY"]],
  },
];
