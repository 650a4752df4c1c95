import { rpc } from "./clients.ts";
import { pagesOf } from "./pages-of.ts";

/** Something that a form lets choose. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
}

/** The agents that can be mentioned and the functions that can be invoked, for a form that chooses among them. */
export async function readAgentsAndFunctions(
  wId: string,
  signal: AbortSignal,
): Promise<Readonly<Record<"agents" | "functions", readonly NamedId[]>>> {
  const pages = pagesOf((place) => rpc.sandboxFunctions.list.query({ wId, ...place }, { signal }));
  const [{ agentConfigurations }, functions] = await Promise.all([
    rpc.agents.list.query({ wId }, { signal }),
    Array.fromAsync(pages),
  ]);
  return {
    agents: agentConfigurations.map(({ sId, name }) => ({ id: sId, name })),
    functions: functions
      .flatMap(({ sandboxFunctions }) => sandboxFunctions)
      .map(({ sId, slug }) => ({ id: sId, name: slug })),
  };
}
