import { group } from "@parley/command/group";
import { AgentStatus, ListAgents, SkillStatus } from "@parley/schema";
import type { ServerConnection } from "../connection/connect.ts";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { type ItemOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, type Named } from "../grammar/noun.ts";
import { agents, findFunction, findMember, findSkill, findTool } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { createAgentVersionCommands } from "./agent-versions.ts";
import { model, models } from "./read-model.ts";
import type { Context } from "../connection/context.ts";

const readers = { model, fallbackModels: models };
const references = {
  editorIds: findMember,
  functionIds: findFunction,
  skillIds: findSkill(...SkillStatus.options),
  toolIds: findTool,
};

const readInState = (
  connection: ServerConnection,
  status: ItemOf<"agents.listAll">["status"],
): AsyncGenerator<ItemOf<"agents.listAll">> => readListed(connection, "agents.listAll", { status });

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
    listCommand(context, agents, {
      about: "list the agents",
      filters: ListAgents.extend({
        status: AgentStatus.optional().describe(
          "Only agents with this status; needs a builder's key",
        ),
      }),
      read: (connection, { status, view }) =>
        status === undefined ? agents.read(connection, { view }) : readInState(connection, status),
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        SCOPE: ({ scope }) => scope,
        MODEL: (agent) => `${agent.model.providerId}/${agent.model.modelId}`,
        VERSION: ({ version }) => version,
        DESCRIPTION: ({ description }) => description,
      },
    }),
    getCommand(context, agents, { read: readAgent }),
    createCommand(context, agents, {
      argument: "name",
      call: "agents.create",
      readers,
      references,
    }),
    updateCommand(context, agents, { call: "agents.update", readers, references }),
    actionCommand(context, agents, {
      name: "remove",
      about: "archive an agent, so that it can no longer be mentioned",
      did: "archived",
      destroys: ({ name }) => `archive the agent ${name}`,
      call: "agents.archive",
    }),
    actionCommand(context, agents, {
      name: "restore",
      about: "restore an archived agent",
      did: "restored",
      find: findIn(agents, (connection) => readInState(connection, "archived")),
      call: "agents.restore",
    }),
    createAgentVersionCommands(context),
  ]);
