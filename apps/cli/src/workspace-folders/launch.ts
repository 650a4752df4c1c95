import type { Applying, KindName, Listed } from "./kind.ts";

/** What a schedule or a trigger starts, as files declare it: with names, and empty texts for what it has not. */
interface LaunchDefinition {
  readonly agent: string;
  readonly function: string;
  readonly space: string;
}

/** What a schedule or a trigger starts, as the server shows it. */
interface ShownLaunch {
  readonly agent: Readonly<Record<string, unknown>> | null;
  readonly function: Readonly<Record<string, unknown>> | null;
}

type Named = Pick<Listed, "id" | "name">;

/** What the ids of a launch may be of. */
export type LaunchedThings = Readonly<Record<"agents" | "functions" | "spaces", readonly Named[]>>;

/** What is started, with names in place of ids; what the key does not see keeps its id. */
export function nameLaunch({ agent, function: invoked }: ShownLaunch, things: LaunchedThings) {
  const nameIn = (listed: readonly Named[], id: unknown) =>
    listed.find((thing) => thing.id === id)?.name ?? (typeof id === "string" ? id : undefined);
  return {
    ...agent,
    ...invoked,
    agent: nameIn(things.agents, agent?.["agentId"]),
    conversation: agent?.["conversationId"] ?? undefined,
    space: nameIn(things.spaces, agent?.["spaceId"]),
    function: nameIn(things.functions, invoked?.["functionId"]),
    agentVersion: agent?.["agentVersion"] ?? undefined,
    functionVersion: invoked?.["functionVersion"] ?? undefined,
  };
}

/** What is started, with ids in place of names. */
export function identifyLaunch(
  { ids }: Applying,
  { agent, function: invoked, space }: LaunchDefinition,
): LaunchDefinition {
  return {
    agent: ids.agent.get(agent) ?? agent,
    function: ids.function.get(invoked) ?? invoked,
    space: space === "" ? "" : (ids.space.get(space) ?? space),
  };
}

/** Why a launch starts nothing, or two things; undefined if it starts one. */
export const findLaunchFault = ({ agent, function: invoked }: LaunchDefinition) =>
  (agent === "") === (invoked === "")
    ? "exactly one of agent and function must be there"
    : undefined;

/** The names of the things that a launch needs. */
export const usesOfLaunch = ({
  agent,
  function: invoked,
  space,
}: LaunchDefinition): readonly (readonly [KindName | "space", readonly string[]])[] => [
  ["agent", agent === "" ? [] : [agent]],
  ["function", invoked === "" ? [] : [invoked]],
  ["space", space === "" ? [] : [space]],
];
