import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";

type Call = (name: string, input: object) => Promise<string>;

/** The errors of a summary that is asked for: what provokes each, with functions that give the type of a call's error. */
export function wrongSummaries(
  calls: ReturnType<typeof createCalls>,
  {
    server,
    call,
    callWithoutModels,
  }: { server: () => Server; call: Call; callWithoutModels: Call },
): Readonly<Record<string, () => Promise<string>>> {
  const name = "summaries.create";
  const wId = () => server().demo.workspaceId;
  const ofNew = async (agentId = "helper") => {
    const { conversation } = await calls.create("Hello", ["helper"], { blocking: true });
    return { wId: wId(), cId: conversation.sId, agentId };
  };
  return {
    [`${name} conversation_not_found`]: async () =>
      call(name, { ...(await ofNew()), cId: "nobody" }),
    [`${name} agent_not_found`]: async () => call(name, await ofNew("nobody")),
    [`${name} model_disabled`]: async () => callWithoutModels(name, await ofNew()),
    [`${name} version_conflict`]: async () => {
      const input = await ofNew();
      const types = await Promise.all([call(name, input), call(name, input)]);
      return types.find((type) => type !== "no error") ?? "no error";
    },
    [`${name} budget_exceeded`]: async () => {
      const agentId = await calls.createAgent("spent", {
        steps: [{ text: "x" }],
        tokenDelayMs: 0,
      });
      const limits = { name: "x", limit: "0", period: "all", scope: "agent" } as const;
      const budget = { wId: wId(), ...limits, subjectId: agentId };
      await calls.rpc().budgets.create.mutate(budget);
      return call(name, await ofNew(agentId));
    },
  };
}
