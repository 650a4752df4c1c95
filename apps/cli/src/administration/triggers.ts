import { group } from "@parley/command/group";
import { onceByOf, type Trigger } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { type Answer, callEndpoint, inputOf } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import type { Named } from "../grammar/noun.ts";
import { triggers as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { switchCommands } from "../grammar/switch-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { createTriggerEventCommands } from "./trigger-events.ts";

const types = Object.keys(onceByOf);
const readers = {
  source: {
    form: types.join(", "),
    read: (text: string) => (types.includes(text) ? { type: text } : undefined),
  },
  agent: {
    form: "id",
    read: (text: string) => (/^[\w-]+$/.test(text) ? { agentId: text } : undefined),
  },
  function: {
    form: "id or slug",
    read: (text: string) => (/^[\w-]+$/.test(text) ? { functionId: text } : undefined),
  },
};

/** Whether events are received, and if not why. */
function stateOf({ disabledFor, failingSince }: Trigger): string {
  if (disabledFor === "request") return "off";
  if (disabledFor !== null) return `off: ${disabledFor.replace("_", " ")}`;
  return failingSince === null ? "on" : `failing since ${shortTime(failingSince)}`;
}

const startedBy = ({ agent, function: invoked }: Trigger): string =>
  agent?.agentId ?? invoked?.functionId ?? "";

/** Replays events, with as many requests as that takes. */
async function replay({ rpc, wId }: ServerConnection, { id: triggerId }: Named, input: object) {
  let queued = 0;
  for (let hasMore = true; hasMore;) {
    const answer = await callServer(rpc.triggers.replay.mutate({ wId, triggerId, ...input }));
    queued += answer.queued;
    ({ hasMore } = answer);
  }
  return { queued };
}

const sayQueued = ({ queued }: Answer): string =>
  queued === 1 ? "queued 1 event" : `queued ${String(queued)} events`;

/** Makes the commands about the triggers of a workspace, and about what they have received. */
export const createTriggerCommands = (context: Context) =>
  group("triggers", "URLs at which events of other services start agents and functions", [
    listCommand(context, noun, {
      about: "list the triggers, and whether their events succeed (secrets are not shown)",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        SOURCE: ({ source }) => source.type,
        STARTS: startedBy,
        STATE: stateOf,
        "LAST EVENT": ({ lastEventAt }) => (lastEventAt === null ? "" : shortTime(lastEventAt)),
      },
    }),
    getCommand(context, noun),
    createCommand(context, noun, {
      about: "create a trigger and print its secret, which is shown only once",
      argument: "name",
      call: "triggers.create",
      readers,
    }),
    updateCommand(context, noun, {
      schema: inputOf("triggers.update", ["isEnabled"]),
      call: async (connection, { id, item }, input) =>
        callEndpoint(connection, "triggers.update", { id, version: item?.version, ...input }),
      readers,
    }),
    ...switchCommands(context, noun, {
      call: "triggers.update",
      enable: "switch a trigger on",
      disable: "switch a trigger off: who sends events meanwhile is answered 404",
    }),
    actionCommand(context, noun, {
      name: "rotate",
      about: "replace a trigger's secret and print the new one, which is shown only once",
      did: "rotated",
      destroys: ({ name }) => `replace the secret of the trigger ${name}`,
      call: "triggers.rotateSecret",
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a trigger with its events",
      did: "removed",
      destroys: ({ name }) => `remove the trigger ${name} with its events`,
      call: "triggers.remove",
    }),
    actionCommand(context, noun, {
      name: "test",
      about: "try a trigger with a sample, which starts nothing",
      did: ({ event }) => `queued the sample ${(event as { sId: string }).sId}`,
      call: "triggers.test",
    }),
    createTriggerEventCommands(context),
    actionCommand(context, noun, {
      name: "replay",
      about: "start again what events have started: some, or all that have failed",
      did: sayQueued,
      schema: inputOf("triggers.replay"),
      call: replay,
    }),
  ]);
