import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

const settings = { name: "Failures", measure: "errors", threshold: 3 } as const;
const alertIn = ({ alert }: { readonly alert: { readonly sId: string } }): string => alert.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async () =>
    alertIn(await rpc().alerts.create.mutate({ ...ofDemo(), ...settings }));
  return { ofDemo, create };
};

/** The mutations of alerts, each with what it needs to be done. */
export function describeAlertMutations(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = (more: object) => async () => {
    const alertId = await create();
    return { input: { ...ofDemo(), alertId, ...more }, subject: alertId };
  };
  return {
    "alerts.create": async () => ({ input: { ...ofDemo(), ...settings }, subject: alertIn }),
    "alerts.update": ofNew({ version: 0, threshold: 5 }),
    "alerts.remove": ofNew({ version: 0 }),
  };
}

/** The queries of alerts and measures, each with an input that it answers. */
export function describeAlertQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const { ofDemo, create } = createIn(server, rpc);
  return {
    "alerts.list": async () => ({ input: ofDemo() }),
    "alerts.get": async () => ({ input: { ...ofDemo(), alertId: await create() } }),
    "alerts.listIncidents": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "measures.get": async () => ({ input: { ...ofDemo(), dimension: "model", limit: 2 } }),
    "measures.getServer": async () => ({ input: { limit: 2 }, asOperator: true }),
  };
}
