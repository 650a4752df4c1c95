import { group } from "@parley/command/group";
import { AgentStatus, ListAgents, SkillStatus } from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { type ItemOf, readListed } from "../grammar/endpoint-calls.ts";
import { readList } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, type Named, nounOf } from "../grammar/noun.ts";
import { findMember, findSkill, findTool, functions } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { model, models } from "./read-model.ts";
import type { Context } from "../connection/context.ts";

type ListedAgent = ItemOf<"agents.listAll">;

const noun = nounOf("agents.listAll", {
  many: "agents",
  one: "agent",
  open: connect,
  // Those that can be mentioned; archived ones and drafts are builders' to list.
  read: (
    { parley }: ServerConnection,
    { view }: { readonly view?: ListAgents["view"] | null } = {},
  ) =>
    readList<ListedAgent>(
      parley.agents.list(view == null ? {} : { view }).then((answer) => answer.agentConfigurations),
    ),
});
const readers = { model, fallbackModels: models };
const references = {
  editorIds: findMember,
  functionIds: findIn(functions),
  skillIds: findSkill(...SkillStatus.options),
  toolIds: findTool,
};

const readInState = (
  connection: ServerConnection,
  status: ListedAgent["status"],
): AsyncGenerator<ListedAgent> => readListed(connection, "agents.listAll", { status });

/** With its script, skills, functions and tools if the key is a builder's. */
async function readAgent({ rpc, parley, wId }: ServerConnection, { id }: Named): Promise<object> {
  const reading = callServer(rpc.agents.getDefinition.query({ wId, agentId: id }));
  return reading.catch(async (error: unknown) => {
    if (errorTypeOf(error) !== "app_auth_error") throw error;
    return parley.agents.get({ agentId: id });
  });
}

/** Makes the commands about agents. */
export const createAgentCommands = (context: Context) =>
  group("agents", "assistants that answer in conversations", [
    listCommand(context, noun, {
      about: "list the agents",
      filters: ListAgents.extend({
        status: AgentStatus.optional().describe(
          "Only agents with this status; needs a builder's key",
        ),
      }),
      read: (connection, { status, view }) =>
        status === undefined ? noun.read(connection, { view }) : readInState(connection, status),
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        SCOPE: ({ scope }) => scope,
        MODEL: (agent) => `${agent.model.providerId}/${agent.model.modelId}`,
        VERSION: ({ version }) => version,
        DESCRIPTION: ({ description }) => description,
      },
    }),
    getCommand(context, noun, { read: readAgent }),
    createCommand(context, noun, { argument: "name", call: "agents.create", readers, references }),
    updateCommand(context, noun, { call: "agents.update", readers, references }),
    actionCommand(context, noun, {
      name: "remove",
      about: "archive an agent, so that it can no longer be mentioned",
      did: "archived",
      destroys: ({ name }) => `archive the agent ${name}`,
      call: "agents.archive",
    }),
    actionCommand(context, noun, {
      name: "restore",
      about: "restore an archived agent",
      did: "restored",
      find: findIn(noun, (connection) => readInState(connection, "archived")),
      call: "agents.restore",
    }),
  ]);
