import { group } from "@parley/command/group";
import { inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findById } from "../grammar/noun.ts";
import { runs as noun } from "../grammar/nouns.ts";
import { actionCommand, getCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { rerunCommand } from "./repeat-run.ts";
import { tailCommand } from "./tail-runs.ts";
import { traceCommand } from "./trace-run.ts";
import type { Context } from "../connection/context.ts";

/** Runs that are listed by default. */
const NEWEST = 20;

const by = "id of the agent's message or of the invocation";

/** Makes the commands about runs. */
export const createRunCommands = (context: Context) =>
  group("runs", "agent answers, invocations and tool calls", [
    listCommand(context, noun, {
      about: "list the runs, newest first",
      limit: NEWEST,
      filters: inputOf("runs.list"),
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
      about: "show a run, with the model provider's error if it failed",
      by,
      find: findById,
      read: "runs.get",
    }),
    traceCommand(context),
    actionCommand(context, noun, {
      name: "cancel",
      about: "cancel a run; an ended run stays as it is",
      did: "cancel requested",
      by,
      find: findById,
      call: "runs.cancel",
    }),
    rerunCommand(context),
    tailCommand(context),
  ]);
