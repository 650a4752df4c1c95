import type { Server } from "../server.ts";
import type { createCalls } from "../siblings/calls.ts";
import type { Doable } from "./doable.ts";

type Rpc = Pick<ReturnType<typeof createCalls>, "rpc">;

interface WithSchedule {
  readonly schedule: { readonly sId: string };
}
const scheduleIn = ({ schedule }: WithSchedule): string => schedule.sId;

const createIn = (server: () => Server, { rpc }: Rpc) => {
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const settings = () => {
    const [agent] = server().demo.agents;
    const launched = { agentId: agent?.sId ?? "", message: "Report" };
    return { name: "Report", cron: "0 9 * * *", agent: launched, isPaused: true };
  };
  const create = async () =>
    scheduleIn(await rpc().schedules.create.mutate({ ...ofDemo(), ...settings() }));
  return { ofDemo, settings, create };
};

/** The mutations of schedules, each with what it needs to be done. */
export function describeScheduleMutations(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Doable>> {
  const { ofDemo, settings, create } = createIn(server, rpc);
  const ofNew = (more: object) => async () => {
    const scheduleId = await create();
    return { input: { ...ofDemo(), scheduleId, ...more }, subject: scheduleId };
  };
  return {
    "schedules.create": async () => ({
      input: { ...ofDemo(), ...settings() },
      subject: scheduleIn,
    }),
    "schedules.update": ofNew({ version: 0, description: "x" }),
    "schedules.remove": ofNew({ version: 0 }),
    "schedules.run": ofNew({}),
  };
}

/** The queries of schedules, each with an input that it answers. */
export function describeScheduleQueries(
  server: () => Server,
  rpc: Rpc,
): Record<string, () => Promise<Pick<Doable, "input" | "asOperator">>> {
  const { ofDemo, create } = createIn(server, rpc);
  const ofNew = async () => ({ input: { ...ofDemo(), scheduleId: await create() } });
  return {
    "schedules.list": async () => ({ input: { ...ofDemo(), limit: 2 } }),
    "schedules.preview": async () => ({ input: { ...ofDemo(), cron: "@daily" } }),
    "schedules.get": ofNew,
    "schedules.listFirings": ofNew,
  };
}
