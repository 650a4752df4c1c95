import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

const model = { providerId: "openai", modelId: "gpt-5" };
const rates = { input: "1.25", output: "10" };
const priced = "openai/gpt-5";
const limits = { name: "x", limit: "1000000", period: "month", isHard: false } as const;

interface WithBudget {
  readonly budget: { readonly sId: string };
}
const budgetIn = ({ budget }: WithBudget): string => budget.sId;

/** The mutations of prices and budgets, each with what it needs to be done. */
export function describeUsageMutations(
  server: () => Server,
  { rpc, operator }: Pick<ReturnType<typeof createCalls>, "rpc" | "operator">,
): Record<string, () => Promise<Doable>> {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const ofWorkspace = { ...limits, scope: "workspace" } as const;
  const createBudget = async () =>
    budgetIn(await rpc().budgets.create.mutate({ ...ofDemo(), ...ofWorkspace }));
  const createServerBudget = async () =>
    budgetIn(await operator().budgets.createServer.mutate(limits));
  return {
    "prices.set": async () => ({ input: { ...ofDemo(), ...model, ...rates }, subject: priced }),
    "prices.remove": async () => {
      await rpc().prices.set.mutate({ ...ofDemo(), ...model, ...rates });
      return { input: { ...ofDemo(), ...model }, subject: priced };
    },
    "prices.setServer": async () => ({
      input: { ...model, ...rates },
      subject: priced,
      asOperator: true,
    }),
    "prices.removeServer": async () => {
      await operator().prices.setServer.mutate({ ...model, ...rates });
      return { input: model, subject: priced, asOperator: true };
    },
    "budgets.create": async () => ({ input: { ...ofDemo(), ...ofWorkspace }, subject: budgetIn }),
    "budgets.update": async () => {
      const budgetId = await createBudget();
      return { input: { ...ofDemo(), budgetId, limit: "2000000" }, subject: budgetId };
    },
    "budgets.delete": async () => {
      const budgetId = await createBudget();
      return { input: { ...ofDemo(), budgetId }, subject: budgetId };
    },
    "budgets.createServer": async () => ({ input: limits, subject: budgetIn, asOperator: true }),
    "budgets.updateServer": async () => {
      const budgetId = await createServerBudget();
      return { input: { budgetId, name: "y" }, subject: budgetId, asOperator: true };
    },
    "budgets.deleteServer": async () => {
      const budgetId = await createServerBudget();
      return { input: { budgetId }, subject: budgetId, asOperator: true };
    },
  };
}

/** The queries of prices and budgets, each with an input that it answers. */
export function describeUsageQueries(
  server: () => Server,
  { rpc }: Pick<ReturnType<typeof createCalls>, "rpc">,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  return {
    "prices.list": async () => ({ input: ofDemo() }),
    "prices.listServer": async () => ({ input: {}, asOperator: true }),
    "budgets.list": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "budgets.listServer": async () => ({ input: { limit: 2 }, asOperator: true }),
    "budgets.listSpending": async () => {
      const budget = { ...ofDemo(), ...limits, scope: "agent" } as const;
      const budgetId = budgetIn(await rpc().budgets.create.mutate(budget));
      return { input: { ...ofDemo(), budgetId, limit: 2 } };
    },
  };
}
