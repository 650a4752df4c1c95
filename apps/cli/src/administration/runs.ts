import { type ListedRun, ListRuns } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { listCommand } from "../grammar/list-command.ts";
import { getCommand, type Named } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const noun = { many: "runs", one: "run", open: connect };

/** Runs that are listed by default. */
const NEWEST = 20;

async function find(_connection: ServerConnection, id: string): Promise<Named> {
  return { id, name: id };
}

/** Makes the commands about runs. */
export const createRunCommands = (context: Context) =>
  group("runs", "answers of agents, invocations and calls of tools", [
    listCommand(context, noun, {
      about: "list the runs, the newest first",
      listed: "runs",
      limit: NEWEST,
      filters: ListRuns.omit({ wId: true }),
      read: ({ rpc, wId }, filters) =>
        readPages(
          async (place) => rpc.runs.list.query({ wId, ...filters, ...place }),
          ({ runs }): readonly ListedRun[] => runs,
        ),
      idOf: ({ id }) => id,
      columns: {
        ID: ({ id }) => id,
        CREATED: ({ createdAt }) => shortTime(createdAt),
        KIND: ({ kind }) => kind,
        NAME: ({ kind, agent, function: called, tool }) =>
          kind === "turn" ? agent?.name : (called?.slug ?? tool?.name),
        STATUS: ({ status }) => status,
        ERROR: ({ error }) => error?.code,
      },
    }),
    getCommand(context, noun, {
      about: "show a run, and what the model's provider said if it failed",
      by: "id: of the agent's message, or of the invocation",
      find,
      read: async ({ rpc, wId }, { id }) => rpc.runs.get.query({ wId, runId: id }),
    }),
  ]);
