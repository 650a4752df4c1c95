import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { ListMemories, RunMemoryCommand } from "@parley/schema";
import * as z from "zod";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import { callEndpoint, inputOf, readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounOf } from "../grammar/noun.ts";
import { findAgent } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  resolveReferences,
  updateCommand,
} from "../grammar/one-commands.ts";
import { createEraseCommand } from "./erase-memories.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("memories.list", {
  many: "memories",
  one: "memory",
  open: connect,
  versionOf: async (_connection, { item }) => item?.version,
  nameOf: ({ path }) => path,
});
/** A file that was just created: the server has said that it has its path. */
const createdNoun = nounOf("memories.list", {
  many: "memories",
  one: "memory",
  open: connect,
  idOf: ({ path: at }) => at,
  nameOf: ({ path: at }) => at,
});
const proposals = nounOf("memories.listProposals", {
  many: "memories",
  one: "change",
  open: connect,
  nameOf: ({ path }) => path,
});

const { scope, agentId, spaceId } = ListMemories.shape;
const filters = z.object({ scope, agentId, spaceId });
const references = { agentId: findAgent };
const { path, file_text: content } = RunMemoryCommand.shape;
const created = z.object({
  path,
  content: content.describe("Text of the file"),
  agentId: agentId.describe("Agent whose file it is, of an agent's scopes"),
  spaceId: spaceId.describe("Space whose file it is"),
});

/** Texts from outside that a file comes from. */
const sourcesOf = ({
  derivedFrom,
}: {
  readonly derivedFrom: readonly { readonly type: string; readonly name: string }[];
}) => derivedFrom.map(({ type, name }) => (name === "" ? type : `${type} ${name}`)).join(", ");

/** Makes the commands about what agents remember. */
export const createMemoryCommands = (context: Context) =>
  group("memories", "files that agents remember", [
    listCommand(context, noun, {
      about: "list the files that you reach, oldest first",
      filters,
      read: async function* read(connection, given) {
        const chosen = await resolveReferences(connection, given, references);
        yield* readListed(connection, "memories.list", chosen);
      },
      columns: {
        ID: ({ sId }) => sId,
        PATH: (one) => one.path,
        AGENT: (one) => one.agentId,
        SPACE: (one) => one.spaceId,
        BYTES: ({ bytes }) => bytes,
        CHANGED: ({ updatedAt }) => shortTime(updatedAt),
        SOURCES: sourcesOf,
      },
    }),
    getCommand(context, noun, {
      about: "show a file with its versions",
      by: "id or path",
      read: "memories.get",
    }),
    createCommand(context, createdNoun, {
      about: "create a file",
      argument: "path",
      schema: created,
      references,
      call: async (connection, { content: text, ...place }) => {
        const command = { command: "create", file_text: text ?? "", ...place };
        const { output, isError } = await callEndpoint(connection, "memories.run", command);
        if (isError === true) throw new CommandError(String(output));
        return { memory: place };
      },
    }),
    updateCommand(context, noun, {
      about: "change the text of a file",
      by: "id or path",
      schema: inputOf("memories.update"),
      call: async (connection, { id, item }, input) =>
        callEndpoint(connection, "memories.update", { id, version: item?.version, ...input }),
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "erase a file with its versions",
      by: "id or path",
      did: "removed",
      destroys: ({ name }) => `erase ${name} with its versions`,
      call: "memories.remove",
    }),
    createEraseCommand(context),
    listCommand(context, proposals, {
      name: "pending",
      about: "list changes that wait for approval, oldest first",
      columns: {
        ID: ({ sId }) => sId,
        CHANGE: ({ change }) => change,
        PATH: (one) => one.path,
        AGENT: (one) => one.agentId,
        PROPOSED: ({ createdAt }) => shortTime(createdAt),
        SOURCES: sourcesOf,
        TEXT: (one) => one.content,
      },
    }),
    actionCommand(context, proposals, {
      name: "approve",
      about: "approve a change that waits",
      by: "id or path",
      did: "approved",
      call: "memories.approve",
    }),
    actionCommand(context, proposals, {
      name: "reject",
      about: "reject a change that waits",
      by: "id or path",
      did: "rejected",
      call: "memories.reject",
    }),
  ]);
