import {
  type AgentConfiguration,
  AgentStatus,
  CreateAgent,
  ListAgents,
  SkillStatus,
  UpdateAgent,
} from "@parley/schema";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne, readList } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findFunction } from "../grammar/functions.ts";
import { findMember } from "../grammar/members.ts";
import { findSkill } from "../grammar/skills.ts";
import { findToolNamed } from "../grammar/tools.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  getCommand,
  type Named,
  updateCommand,
} from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { model } from "./read-model.ts";
import type { Context } from "../context.ts";

type ListedAgent = Omit<AgentConfiguration, "instructions">;

const noun = { many: "agents", one: "agent", open: connect };
const readers = { model };
const references = {
  editorIds: findMember,
  functionIds: findFunction(),
  skillIds: findSkill(...SkillStatus.options),
  toolIds: findToolNamed,
};

/** Those that can be mentioned; archived ones and drafts are builders' to list. */
const readActive = (
  { parley }: ServerConnection,
  { view }: { readonly view?: ListAgents["view"] | null | undefined } = {},
) =>
  readList<ListedAgent>(
    parley.agents.list(view == null ? {} : { view }).then((answer) => answer.agentConfigurations),
  );

const readInState = ({ rpc, wId }: ServerConnection, status: AgentConfiguration["status"]) =>
  readPages(
    async (place) => rpc.agents.listAll.query({ wId, status, limit: 100, ...place }),
    ({ agentConfigurations }) => agentConfigurations,
  );

const names = {
  ...noun,
  idOf: ({ sId }: ListedAgent) => sId,
  nameOf: ({ name }: ListedAgent) => name,
};

async function find(connection: ServerConnection, reference: string): Promise<Named> {
  const { sId, name } = await findOne(readActive(connection), reference, names);
  return { id: sId, name };
}

async function findArchived(connection: ServerConnection, reference: string): Promise<Named> {
  const { sId, name } = await findOne(readInState(connection, "archived"), reference, names);
  return { id: sId, name };
}

const doneOf = (answer: { readonly agentConfiguration: AgentConfiguration }): Done => ({
  named: { id: answer.agentConfiguration.sId, name: answer.agentConfiguration.name },
  answer,
});

/** With its script, skills, functions and tools where the key is a builder's. */
async function readAgent({ rpc, parley, wId }: ServerConnection, { id }: Named): Promise<object> {
  const reading = callServer(rpc.agents.getDefinition.query({ wId, agentId: id }));
  return reading.catch(async (error: unknown) => {
    if (errorTypeOf(error) !== "app_auth_error") throw error;
    return parley.agents.get({ agentId: id });
  });
}

/** Makes the commands about agents. */
export const createAgentCommands = (context: Context) =>
  group("agents", "who answers in conversations", [
    listCommand(context, noun, {
      about: "list the agents",
      listed: "agentConfigurations",
      filters: ListAgents.extend({
        status: AgentStatus.optional().describe("Only agents in this state; needs a builder's key"),
      }),
      read: (connection, { status, view }) =>
        status === undefined ? readActive(connection, { view }) : readInState(connection, status),
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        SCOPE: ({ scope }) => scope,
        MODEL: (agent) => `${agent.model.providerId}/${agent.model.modelId}`,
        VERSION: ({ version }) => version,
        DESCRIPTION: ({ description }) => description,
      },
    }),
    getCommand(context, noun, { find, read: readAgent }),
    createCommand(context, noun, {
      argument: "name",
      schema: CreateAgent.omit({ wId: true }),
      readers,
      references,
      call: async ({ rpc, wId }, input) =>
        doneOf(await rpc.agents.create.mutate({ wId, ...input })),
    }),
    updateCommand(context, noun, {
      schema: UpdateAgent.omit({ wId: true, agentId: true }),
      readers,
      references,
      find,
      call: async ({ rpc, wId }, { id }, input) =>
        doneOf(await rpc.agents.update.mutate({ wId, agentId: id, ...input })),
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "archive an agent: it can no longer be mentioned",
      did: "archived",
      find,
      destroys: ({ name }) => `archives the agent ${name}`,
      call: async ({ rpc, wId }, { id }) => ({
        answer: await rpc.agents.archive.mutate({ wId, agentId: id }),
      }),
    }),
    actionCommand(context, noun, {
      name: "restore",
      about: "let an archived agent be mentioned again",
      did: "restored",
      find: findArchived,
      call: async ({ rpc, wId }, { id }) => ({
        answer: await rpc.agents.restore.mutate({ wId, agentId: id }),
      }),
    }),
  ]);
