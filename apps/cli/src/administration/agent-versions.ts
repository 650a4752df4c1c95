import { CommandError } from "@parley/command/command-error";
import { group } from "@parley/command/group";
import { type Command, InvalidArgumentError } from "commander";
import { callServer } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { readListed } from "../grammar/endpoint-calls.ts";
import { listCommand } from "../grammar/list-command.ts";
import { nounCommand, nounOf } from "../grammar/noun.ts";
import { findAgent } from "../grammar/nouns.ts";
import { printAnswer, printDone } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = nounOf("agents.listVersions", {
  many: "versions",
  one: "version",
  open: connect,
  idOf: ({ version }) => String(version),
});

/** Versions that are listed by default. */
const NEWEST = 20;

async function* readVersions(connection: ServerConnection, reference: string) {
  const { id: agentId } = await findAgent(connection, reference);
  yield* readListed(connection, "agents.listVersions", { agentId });
}

const list = (context: Context) =>
  listCommand(context, noun, {
    about: "list the versions of an agent and what changed in each, newest first",
    limit: NEWEST,
    of: "agent",
    by: "id or name",
    read: (connection, _filters, agent) => readVersions(connection, agent),
    columns: {
      VERSION: ({ version }) => version,
      CREATED: ({ createdAt }) => shortTime(createdAt),
      BY: ({ editor }) => editor?.name,
      MODEL: ({ providerId, modelId }) => `${providerId}/${modelId}`,
      CHANGES: ({ changes }) => changes?.join(", "),
    },
  });

function readNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 0.");
}

const oneCommand = (name: string, about: string): Command =>
  nounCommand(name, about)
    .argument("<agent>", "id or name")
    .argument("<version>", "number of the version", readNumber);

/** Reads a version of an agent that a person has named. */
async function readVersion(
  { rpc, wId }: ServerConnection,
  agentId: string,
  agentVersion: number,
): Promise<object> {
  return callServer(rpc.agents.getVersion.query({ wId, agentId, agentVersion }));
}

const get = (context: Context) =>
  oneCommand("get", "show a version with its definition").action(
    async (reference: string, version: number, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { id } = await callServer(findAgent(connection, reference));
      await printAnswer(context.io, await readVersion(connection, id, version), options);
    },
  );

/** Members that differ in every version, or that no definition has. */
const OF_VERSION = new Set(["id", "version", "versionCreatedAt", "editor", "isCurrent"]);

/** The members of two versions that differ, by their names, each as it was and as it is. */
function differences(before: object, after: object): Record<string, object> {
  const flat = (version: object): Record<string, unknown> => {
    const { agentConfiguration = {}, ...members } = version as { agentConfiguration?: object };
    return { ...agentConfiguration, ...members };
  };
  const [old, next] = [flat(before), flat(after)];
  const names = Object.keys({ ...old, ...next }).filter((name) => !OF_VERSION.has(name));
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(next[name]))
      .map((name) => [name, { before: old[name] ?? null, after: next[name] ?? null }]),
  );
}

const diff = (context: Context) =>
  nounCommand(
    "diff",
    "show how a version differs from an earlier one, by default from the one before",
  )
    .argument("<agent>", "id or name")
    .argument("<version>", "number of the version", readNumber)
    .argument("[before]", "number of the earlier version", readNumber)
    .action(
      async (
        reference: string,
        version: number,
        given: number | undefined,
        options: ServerOptions,
      ) => {
        const connection = await connect(context, options);
        const { id } = await callServer(findAgent(connection, reference));
        const before = given ?? version - 1;
        if (before < 0) throw new CommandError("Version 0 is the first: name another to compare");
        const [old, next] = await Promise.all([
          readVersion(connection, id, before),
          readVersion(connection, id, version),
        ]);
        await printAnswer(context.io, { changes: differences(old, next) }, options);
      },
    );

const restore = (context: Context) =>
  oneCommand("restore", "restore a version, as a new version equal to it").action(
    async (reference: string, agentVersion: number, options: ServerOptions) => {
      const connection = await connect(context, options);
      const { rpc, wId } = connection;
      const { id: agentId, name, item } = await callServer(findAgent(connection, reference));
      const based = item === undefined ? {} : { version: item.version };
      const input = { wId, agentId, agentVersion, ...based };
      const answer = await callServer(rpc.agents.restoreVersion.mutate(input));
      const { version } = answer.agentConfiguration;
      printDone(context.io, `restored: ${name}, as version ${version}`, answer, options);
    },
  );

/** Makes the commands about the versions of an agent; without a name of one, they are listed. */
export const createAgentVersionCommands = (context: Context) =>
  group(
    "versions",
    "versions of an agent",
    [list(context), get(context), diff(context), restore(context)],
    { byDefault: "list" },
  );
