import { EraseMemories } from "@parley/schema";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { callEndpoint } from "../grammar/endpoint-calls.ts";
import { nounCommand } from "../grammar/noun.ts";
import { findAgent, findMember, findSpace } from "../grammar/nouns.ts";
import { printDone, resolveReferences } from "../grammar/one-commands.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";
import { confirm } from "../terminal/confirm.ts";

const { userId, agentId, spaceId } = EraseMemories.shape;
const Owner = z.object({ userId, agentId, spaceId });
const references = { userId: findMember, agentId: findAgent, spaceId: findSpace };
const wholes = { userId: "the user", agentId: "the agent", spaceId: "the space" };

/** Makes `erase`, which leaves nothing of what is remembered of a user, for an agent or in a space. */
export function createEraseCommand(context: Context) {
  const { io } = context;
  const command = nounCommand("erase", "erase all files of yours, a user, an agent or a space");
  const read = withInput(command, {
    schema: Owner,
    isFilter: true,
    named: Object.keys(references),
  });
  command.option("--yes", "skip the confirmation");
  return command.action(async (options: ServerOptions & { readonly yes?: true }) => {
    const given = checkInput(Owner, await read(io, { ...options }));
    const connection = await connect(context, options);
    const owner = await callServer(resolveReferences(connection, given, references));
    const [named] = Object.entries(given) as [keyof typeof wholes, string][];
    const whose = named === undefined ? "you" : `${wholes[named[0]]} ${named[1]}`;
    const what = `erase all that is remembered of ${whose}`;
    await confirm(io, { what, typed: named?.[1] ?? "all", yes: options.yes });
    const answer = await callServer(callEndpoint(connection, "memories.erase", owner));
    const { erased } = answer;
    const done = `erased: ${String(erased)} ${erased === 1 ? "memory" : "memories"} of ${whose}`;
    printDone(io, done, answer, options);
  });
}
