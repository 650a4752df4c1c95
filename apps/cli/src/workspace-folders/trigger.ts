import { isDeepStrictEqual } from "node:util";
import type { Io } from "@parley/command/io";
import { oneLine, reportLine } from "@parley/command/print";
import { writeYaml } from "@parley/core/skill-folders";
import { CreateTrigger, type Trigger, type TriggerWithSecret } from "@parley/schema";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { callEndpoint, readListed } from "../grammar/endpoint-calls.ts";
import { launchOf, ScheduleMembers } from "../schedules/schedule-members.ts";
import {
  type Applying,
  type Entry,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
} from "./kind.ts";
import {
  findLaunchFault,
  identifyLaunch,
  type LaunchedThings,
  nameLaunch,
  usesOfLaunch,
} from "./launch.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

const { name, description, source, mapping, keyExpression, eventsPerMinute, maxBytes } =
  CreateTrigger.shape;
const launched = ScheduleMembers.pick({
  agent: true,
  agentVersion: true,
  conversation: true,
  title: true,
  space: true,
  email: true,
  function: true,
  functionVersion: true,
});
const launchedMembers = Object.keys(launched.shape);

/** `triggers/<name>.yaml`: a trigger. Its secret, and whether it is on, are in no file. */
const TriggerFile = z.object({
  name: name.optional(),
  description,
  source,
  ...launched.shape,
  mapping,
  keyExpression,
  eventsPerMinute,
  maxBytes,
});

export type TriggerDefinition = ReturnType<typeof definitionOf>;

/** A trigger as files declare it: with names in place of ids, and empty texts for what it has not. */
function definitionOf(value: z.output<typeof TriggerFile>, stem = "") {
  return {
    name: value.name ?? stem,
    description: value.description,
    source: value.source,
    agent: value.agent ?? "",
    agentVersion: value.agentVersion ?? null,
    conversation: value.conversation ?? "",
    title: value.title ?? "",
    space: value.space ?? "",
    email: value.email ?? "",
    function: value.function ?? "",
    functionVersion: value.functionVersion ?? null,
    mapping: value.mapping && withoutDefaults(value.mapping, {}),
    keyExpression: value.keyExpression,
    eventsPerMinute: value.eventsPerMinute,
    maxBytes: value.maxBytes,
  };
}

const {
  name: _name,
  source: _source,
  ...defaults
} = definitionOf(TriggerFile.parse({ source: { type: "url" } }));

async function readTriggerEntry({ file, text }: Entry): Promise<ReadFile<TriggerDefinition>> {
  if (!YAML.test(file)) {
    return { faults: [{ file, message: "is not a trigger: trigger files end in .yaml" }] };
  }
  const read = readYamlFile(TriggerFile, { file, text: await text(file) });
  if ("faults" in read) return read;
  const value = definitionOf(read.value, stemOf(file));
  const message = findLaunchFault(value);
  return message === undefined ? { value } : { faults: [{ file, message }] };
}

/** A trigger of the list, which has all of it. */
interface ListedTrigger extends Listed {
  readonly trigger: Trigger;
}

/** The triggers that the key manages. */
export async function listTriggers(connection: ServerConnection): Promise<ListedTrigger[]> {
  const listed = await callServer(Array.fromAsync(readListed(connection, "triggers.listAll")));
  return listed.map((trigger) => {
    const { name: called, sId: id, version } = trigger;
    return { name: called, id, version, isArchived: false, trigger };
  });
}

/** A trigger as folders declare it; what it names that the key does not see keeps its id. */
export function readShownTrigger(
  { trigger, ...one }: ListedTrigger,
  things: LaunchedThings,
): Read<TriggerDefinition> {
  const value = TriggerFile.parse({ ...trigger, ...nameLaunch(trigger, things) });
  return { ...one, version: trigger.version, definition: definitionOf(value) };
}

/** The request for the members of a trigger that `isSent` says: all that is started, or nothing of it. */
function requestFor(
  applying: Applying,
  trigger: TriggerDefinition,
  isSent: (member: string) => boolean,
): Readonly<Record<string, unknown>> {
  const named = { ...trigger, ...identifyLaunch(applying, trigger) };
  const isOfLaunch = (member: string) => launchedMembers.includes(member);
  const entries = Object.entries(named);
  const settings = entries.filter(([member]) => !isOfLaunch(member) && isSent(member));
  const launch = entries.filter(
    ([member, value]) => isOfLaunch(member) && value !== "" && value !== null,
  );
  return {
    ...Object.fromEntries(settings),
    ...(launchedMembers.some(isSent) && launchOf(Object.fromEntries(launch))),
  };
}

/** Says once where a new trigger receives events, and what its sender must know. */
function reportSecret(io: Io, { trigger, secret, url }: TriggerWithSecret): void {
  const called = oneLine(trigger.name);
  const { type } = trigger.source;
  if (type === "url") {
    reportLine(io, `the URL of trigger ${called} is shown only once: ${url}`);
    return;
  }
  reportLine(io, `trigger ${called} receives events at ${url}`);
  if (type === "stripe" || type === "slack") {
    const rotate = `parley triggers rotate ${trigger.sId} --overlap-seconds 0 --secret <secret>`;
    reportLine(io, `trigger ${called} needs the secret that ${type} made: run ${rotate}`);
    return;
  }
  reportLine(io, `the secret of trigger ${called} is shown only once: ${secret}`);
}

export const triggerKind: Kind<TriggerDefinition> = {
  folder: "triggers",
  nameOf: (trigger) => trigger.name,
  isTaken: isDeclaration,
  read: readTriggerEntry,
  write: (trigger, stem) => ({
    files: { [`${stem}.yaml`]: writeYaml(withoutDefaults(trigger, defaults)) },
  }),
  usesOf: usesOfLaunch,
  findFault: (after, before) =>
    before === undefined || isDeepStrictEqual(after.source, before.definition.source)
      ? undefined
      : `source: cannot be changed: choose another name, or first run parley triggers remove ${before.id}`,
  compared: (trigger) => ({ ...trigger }),
  create: async (applying, trigger) => {
    const { connection } = applying;
    const request = requestFor(applying, trigger, () => true);
    const creating = callEndpoint(connection, "triggers.create", request);
    // The endpoint's answer.
    const created = (await callServer(creating)) as unknown as TriggerWithSecret;
    reportSecret(connection.io, created);
    return created.trigger.sId;
  },
  update: async (applying, { before: { id, version }, after, changed }) => {
    const request = requestFor(applying, after, (member) => changed.has(member));
    await callServer(
      callEndpoint(applying.connection, "triggers.update", { id, version, ...request }),
    );
  },
  remove: async ({ rpc, wId }, { id: triggerId, version = 0 }) => {
    await callServer(rpc.triggers.remove.mutate({ wId, triggerId, version }));
  },
};
