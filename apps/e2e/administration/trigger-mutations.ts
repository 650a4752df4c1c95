import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

const settings = {
  name: "Issues",
  source: { type: "github" as const },
  agent: { agentId: "helper" },
};

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithTrigger {
  readonly trigger: { readonly sId: string };
}
const triggerIn = ({ trigger }: WithTrigger): string => trigger.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const create = async () =>
    triggerIn(await rpc().triggers.create.mutate({ ...ofDemo(), ...settings }));
  return { ofDemo, create };
};

/** The mutations of triggers, each with what it needs to be done. */
export function describeTriggerMutations(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = (more: object) => async () => {
    const triggerId = await create();
    return { input: { ...ofDemo(), triggerId, ...more }, subject: triggerId };
  };
  return {
    "triggers.create": async () => ({
      input: { ...ofDemo(), ...settings },
      subject: triggerIn,
    }),
    "triggers.update": ofNew({ version: 0, description: "x" }),
    "triggers.remove": ofNew({ version: 0 }),
    "triggers.rotateSecret": ofNew({}),
    "triggers.test": ofNew({ body: {} }),
    "triggers.replay": ofNew({}),
  };
}

/** The queries of triggers, each with an input that it answers. */
export function describeTriggerQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = async () => ({ input: { ...ofDemo(), triggerId: await create() } });
  return {
    "triggers.list": async () => ({ input: { ...ofDemo(), kind: "webhook" } }),
    "triggers.get": async () => ({ input: { ...ofDemo(), tId: await create() } }),
    "triggers.listAll": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "triggers.read": ofNew,
    "triggers.listEvents": ofNew,
    "triggers.getEvent": async () => {
      const { input } = await ofNew();
      const { event } = await rpc.rpc().triggers.test.mutate({ ...input, body: {} });
      return { input: { ...input, eventId: event.sId } };
    },
  };
}
