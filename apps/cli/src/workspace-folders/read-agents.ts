import { SimulatedScript } from "@parley/schema";
import type { ServerConnection } from "../connection/connect.ts";
import type { AgentDefinition } from "./definitions.ts";
import type { Listed, Read } from "./workspace-state.ts";

/** An agent with all its parts, as the client reads it. */
type ShownAgent = Awaited<ReturnType<ServerConnection["rpc"]["agents"]["getDefinition"]["query"]>>;

/** The path of the picture of agents that have none of their own. */
const DEFAULT_PICTURE = /^\/pictures\/agent-\d+\.svg$/;

/** Names of things that are not archived, by their ids. */
interface Names {
  readonly skills: ReadonlyMap<string, string>;
  readonly functions: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, string>;
}

/** An agent as folders declare it: without what it has that is archived. */
export function definitionOfAgent(
  one: Listed,
  shown: ShownAgent,
  names: Names,
): Read<AgentDefinition> {
  const { agentConfiguration: agent, script, asksUser, reasoningEffort, tags } = shown;
  const named = (ids: readonly string[], known: ReadonlyMap<string, string>) =>
    ids.flatMap((id) => known.get(id) ?? []);
  const { pictureUrl } = agent;
  const isDefault = DEFAULT_PICTURE.test(URL.parse(pictureUrl)?.pathname ?? "");
  const { providerId, modelId, temperature } = agent.model;
  return {
    ...one,
    version: agent.version,
    definition: {
      name: agent.name,
      description: agent.description,
      instructions: agent.instructions ?? "",
      pictureUrl: isDefault ? "" : pictureUrl,
      scope: agent.scope === "hidden" ? "hidden" : "visible",
      model: { providerId, modelId, temperature, reasoningEffort },
      maxStepsPerRun: agent.maxStepsPerRun,
      asksUser,
      tags,
      skills: named(shown.skillIds, names.skills),
      functions: named(shown.functionIds, names.functions),
      tools: named(shown.toolIds, names.tools),
      script: script && SimulatedScript.parse(script),
    },
  };
}
