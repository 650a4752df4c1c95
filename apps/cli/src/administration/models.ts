import { group } from "@parley/command/group";
import { reportLine } from "@parley/command/print";
import type { ListedModel } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { findOne, readList } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findIn, type Found, type Named, nounOf } from "../grammar/noun.ts";
import { actionCommand } from "../grammar/one-commands.ts";
import { model as modelOption } from "./read-model.ts";
import type { Context } from "../connection/context.ts";

interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

const keyOf = ({ providerId, modelId }: Pair): string => `${providerId}/${modelId}`;

const noun = nounOf("models.list", {
  many: "models",
  one: "model",
  open: connect,
  idOf: keyOf,
  nameOf: ({ modelId }) => modelId,
});
const by = "provider/model, or just the model if only one provider has it";

/** Models of a server of one's own are not listed before they are enabled. */
async function findKnown(
  connection: ServerConnection,
  reference: string,
): Promise<Found<ListedModel>> {
  if (reference.startsWith("openai_compatible/")) {
    const pair = modelOption.read(reference) as Pair;
    return { id: keyOf(pair), name: keyOf(pair) };
  }
  const found = await findIn(noun)(connection, reference);
  return { ...found, name: found.id };
}

/** Also one that the server has stopped to know. */
async function findEnabled({ rpc, wId }: ServerConnection, reference: string): Promise<Named> {
  const enabled = rpc.workspaces.get.query({ wId }).then(({ models }) => models);
  const names = {
    ...noun,
    one: "enabled model",
    idOf: keyOf,
    nameOf: ({ modelId }: Pair) => modelId,
  };
  const id = keyOf(await findOne(readList<Pair>(enabled), reference, names));
  return { id, name: id };
}

/** The provider and the model of a key. */
const pairOf = ({ id }: Named) => modelOption.read(id) as Pair;

function credentialOf(model: ListedModel): string {
  if (!model.needsCredential) return "not needed";
  if (model.hasWorkspaceCredential) return "workspace";
  return model.hasDeploymentCredential ? "server" : "none";
}

/** Makes the commands about models. */
export const createModelCommands = (context: Context) =>
  group("models", "models that a workspace's agents may use", [
    listCommand(context, noun, {
      about: "list the models that the server knows, and whether they are enabled",
      columns: {
        MODEL: keyOf,
        ENABLED: ({ isEnabled }) => (isEnabled ? "yes" : "no"),
        CREDENTIAL: credentialOf,
        REGIONS: ({ regions }) => regions.join(", "),
        CONTEXT: ({ contextTokens }) => contextTokens,
        TAKES: ({ takes }) => takes && ["text", ...takes.map(({ kind }) => kind)].join(", "),
      },
    }),
    actionCommand(context, noun, {
      name: "enable",
      about: "let the workspace's agents use one more model",
      did: "enabled",
      by,
      find: findKnown,
      call: async ({ io, rpc, wId }, found) => {
        const pair = pairOf(found);
        const { providerId } = pair;
        const answer = await callServer(
          rpc.workspaces.update.mutate({ wId, enableModels: [pair] }),
        );
        if (found.item !== undefined && credentialOf(found.item) === "none") {
          reportLine(
            io,
            `No credential for ${providerId} yet: set one with parley credentials create ${providerId}`,
          );
        }
        return answer;
      },
    }),
    actionCommand(context, noun, {
      name: "disable",
      about: "stop the workspace's agents from using a model",
      did: "disabled",
      by,
      find: findEnabled,
      call: async ({ rpc, wId }, found) =>
        rpc.workspaces.update.mutate({ wId, disableModels: [pairOf(found)] }),
    }),
  ]);
