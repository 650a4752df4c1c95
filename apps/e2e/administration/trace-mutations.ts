import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

const settings = { name: "Collector", url: "https://collector.example/v1/traces" };

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithDestination {
  readonly traceDestination: { readonly sId: string };
}
const destinationIn = ({ traceDestination }: WithDestination): string => traceDestination.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async () => {
    // A workspace has ten at most.
    const { traceDestinations } = await rpc().traceDestinations.list.query(ofDemo());
    for (const { sId: traceDestinationId, version } of traceDestinations.slice(5)) {
      await rpc().traceDestinations.remove.mutate({ ...ofDemo(), traceDestinationId, version });
    }
    return destinationIn(await rpc().traceDestinations.create.mutate({ ...ofDemo(), ...settings }));
  };
  return { ofDemo, create };
};

/** The mutations of trace destinations, each with what it needs to be done. */
export function describeTraceMutations(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = (more: object) => async () => {
    const traceDestinationId = await create();
    return { input: { ...ofDemo(), traceDestinationId, ...more }, subject: traceDestinationId };
  };
  return {
    "traceDestinations.create": async () => ({
      input: { ...ofDemo(), ...settings },
      subject: destinationIn,
    }),
    "traceDestinations.update": ofNew({ version: 0, percent: 10 }),
    "traceDestinations.remove": ofNew({ version: 0 }),
    "traceDestinations.test": ofNew({}),
    "traceDestinations.export": async () => ofNew({ from: Date.now() - 3_600_000 })(),
  };
}

/** The queries of trace destinations, each with an input that it answers. */
export function describeTraceQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input">>> {
  const { ofDemo, create } = createIn(server, rpc);
  return {
    "traceDestinations.list": async () => ({ input: ofDemo() }),
    "traceDestinations.get": async () => ({
      input: { ...ofDemo(), traceDestinationId: await create() },
    }),
  };
}
