import type { ListedModel } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { findOne, readList } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { actionCommand, type Named } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { reportLine } from "../print.ts";
import { model as modelOption } from "./read-model.ts";
import type { Context } from "../context.ts";

interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

/** A model of the server, or one that only its provider knows. */
interface Found extends Named, Pair {
  readonly listed?: ListedModel;
}

const noun = { many: "models", one: "model", open: connect };
const by = "provider/model, or a model that only one provider has";

const keyOf = ({ providerId, modelId }: Pair): string => `${providerId}/${modelId}`;

const foundOf = ({ providerId, modelId }: Pair): Found => {
  const key = keyOf({ providerId, modelId });
  return { id: key, name: key, providerId, modelId };
};

const names = { ...noun, idOf: keyOf, nameOf: ({ modelId }: Pair) => modelId };

const readAll = ({ rpc, wId }: ServerConnection) =>
  readList<ListedModel>(rpc.models.list.query({ wId }).then(({ models }) => models));

/** Models of a server of one's own are not listed before they are enabled. */
async function findKnown(connection: ServerConnection, reference: string): Promise<Found> {
  if (reference.startsWith("openai_compatible/")) {
    return foundOf(modelOption.read(reference) as Pair);
  }
  const listed = await findOne(readAll(connection), reference, names);
  return { ...foundOf(listed), listed };
}

/** Also one that the server has stopped to know. */
async function findEnabled({ rpc, wId }: ServerConnection, reference: string): Promise<Found> {
  const enabled = rpc.workspaces.get.query({ wId }).then(({ models }) => models);
  const one = "enabled model";
  return foundOf(await findOne(readList<Pair>(enabled), reference, { ...names, one }));
}

function credentialOf(model: ListedModel): string {
  if (!model.needsCredential) return "not needed";
  if (model.hasWorkspaceCredential) return "workspace";
  return model.hasDeploymentCredential ? "server" : "none";
}

/** Makes the commands about models. */
export const createModelCommands = (context: Context) =>
  group("models", "which models the agents of a workspace may use", [
    listCommand(context, noun, {
      about: "list the models that the server knows, and which are enabled",
      listed: "models",
      read: readAll,
      idOf: keyOf,
      columns: {
        MODEL: keyOf,
        ENABLED: ({ isEnabled }) => (isEnabled ? "yes" : "no"),
        CREDENTIAL: credentialOf,
        REGIONS: ({ regions }) => regions.join(", "),
        CONTEXT: ({ contextTokens }) => contextTokens,
      },
    }),
    actionCommand(context, noun, {
      name: "enable",
      about: "let the agents of the workspace use a model, besides those they may",
      did: "enabled",
      by,
      find: findKnown,
      call: async ({ io, rpc, wId }, { providerId, modelId, listed }) => {
        const enableModels = [{ providerId, modelId }];
        const answer = await callServer(rpc.workspaces.update.mutate({ wId, enableModels }));
        if (listed !== undefined && credentialOf(listed) === "none") {
          reportLine(
            io,
            `There is no credential for ${providerId} yet: parley credentials create ${providerId} sets one`,
          );
        }
        return { answer };
      },
    }),
    actionCommand(context, noun, {
      name: "disable",
      about: "no longer let the agents of the workspace use a model",
      did: "disabled",
      by,
      find: findEnabled,
      call: async ({ rpc, wId }, { providerId, modelId }) => {
        const disableModels = [{ providerId, modelId }];
        return { answer: await rpc.workspaces.update.mutate({ wId, disableModels }) };
      },
    }),
  ]);
