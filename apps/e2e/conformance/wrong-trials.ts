import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import { nobody, unknownModel } from "./wrong-members.ts";

type Call = (name: string, input: object) => Promise<string>;

/** What is refused of trials of agents, and of the way back to a version: functions that give the type of the error. */
export function wrongTrials(
  calls: ReturnType<typeof createCalls>,
  {
    server,
    call,
    callWithoutModels,
  }: { server: () => Server; call: Call; callWithoutModels: Call },
): Readonly<Record<string, () => Promise<string>>> {
  const wId = () => server().demo.workspaceId;
  const model = { providerId: "simulated", modelId: "simulated-1" };
  const tried = (members: object) =>
    call("agents.try", { wId: wId(), message: { content: "x" }, ...members });
  const withDraft = (members: object) =>
    tried({ draft: { name: "x", description: "", model, ...members } });
  const first = async (more: object = {}) => {
    const draft = { wId: wId(), name: "x", description: "", model, ...more };
    const { agentConfiguration } = await calls.rpc().agents.create.mutate(draft);
    return { wId: wId(), agentId: agentConfiguration.sId, agentVersion: 0 };
  };
  return {
    "agents.try agent_not_found": async () => tried({ agentId: nobody }),
    "agents.try model_disabled": async () => withDraft({ model: unknownModel }),
    "agents.try skill_not_found": async () => withDraft({ skillIds: [nobody] }),
    "agents.try sandbox_function_not_found": async () => withDraft({ functionIds: [nobody] }),
    "agents.try tool_not_found": async () => withDraft({ toolIds: [nobody] }),
    "agents.restoreVersion model_disabled": async () =>
      callWithoutModels("agents.restoreVersion", await first()),
    "agents.restoreVersion sandbox_function_not_found": async () => {
      const program = { type: "simulated" as const, behaviour: { steps: [], result: "1" } };
      const { sandboxFunction } = await calls
        .rpc()
        .sandboxFunctions.create.mutate({ wId: wId(), slug: "goes", description: "", program });
      const functionId = sandboxFunction.sId;
      const version = await first({ functionIds: [functionId] });
      await calls.rpc().sandboxFunctions.archive.mutate({ wId: wId(), functionId });
      return call("agents.restoreVersion", version);
    },
  };
}
