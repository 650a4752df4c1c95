import { group } from "@parley/command/group";
import type { Budget } from "@parley/schema";
import type { Context } from "../connection/context.ts";
import type { Caller } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import type { Noun } from "../grammar/noun.ts";
import { budgets, serverBudgets } from "../grammar/nouns.ts";
import { actionCommand, createCommand, updateCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

/** What it limits: one key, or each by itself. */
function subjectOf({ scope, subjectId }: Budget): string {
  const words = scope.replace("_", " ");
  if (scope === "server" || scope === "workspace") return words;
  return subjectId === null ? `each ${words}` : `${words} ${subjectId}`;
}

/** Of a budget for each one, what the one has spent that has spent the most. */
const spentOf = ({ spending }: Budget): string => spending?.spent ?? "0";

interface Calls {
  readonly create: "budgets.create" | "budgets.createServer";
  readonly update: "budgets.update" | "budgets.updateServer";
  readonly remove: "budgets.delete" | "budgets.deleteServer";
}

const commands = <Connection extends Caller>(
  context: Context,
  noun: Noun<Connection, Budget>,
  { create, update, remove }: Calls,
) => [
  listCommand(context, noun, {
    about: "list the budgets, with what is spent in the current period",
    columns: {
      ID: ({ sId }) => sId,
      NAME: ({ name }) => name,
      LIMITS: subjectOf,
      SPENT: spentOf,
      LIMIT: ({ limit, currency, measure }) => `${limit} ${currency ?? measure.replace("_", " ")}`,
      PERIOD: ({ period }) => period,
      ENDS: ({ endsAt }) => shortTime(endsAt),
      KIND: ({ isHard }) => (isHard ? "hard" : "soft"),
      "USED UP": ({ usedUp }) => usedUp,
    },
  }),
  createCommand(context, noun, { argument: "name", call: create }),
  updateCommand(context, noun, { call: update }),
  actionCommand(context, noun, {
    name: "remove",
    about: "delete a budget with what was counted for it",
    did: "removed",
    destroys: ({ name }) => `delete the budget ${name}`,
    call: remove,
  }),
];

/** Makes the commands about the budgets of a workspace. */
export const createBudgetCommands = (context: Context) =>
  group(
    "budgets",
    "what a workspace, its keys, agents, users and conversations may spend or use",
    commands(context, budgets, {
      create: "budgets.create",
      update: "budgets.update",
      remove: "budgets.delete",
    }),
  );

/** Makes the commands about the budgets of the server. */
export const createServerBudgetCommands = (context: Context) =>
  group(
    "server-budgets",
    "what all workspaces together may spend",
    commands(context, serverBudgets, {
      create: "budgets.createServer",
      update: "budgets.updateServer",
      remove: "budgets.deleteServer",
    }),
  );
