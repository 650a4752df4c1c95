import { eventually } from "../../../programs.ts";
import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const name = "Report";

async function withSchedule({ rpc, wId, createAgent }: World, isPaused = false) {
  const agentId = await createAgent("Clerk");
  const agent = { agentId, message: "Write the report" };
  const times = { cron: "0 9 * * MON-FRI", isPaused };
  const { schedule } = await rpc.schedules.create.mutate({ wId, name, agent, ...times });
  return schedule.sId;
}

const prepare = async (world: World): Promise<void> => void (await withSchedule(world));

/** Makes a schedule with a firing that has started. */
async function withFiring(world: World): Promise<void> {
  const named = { wId: world.wId, scheduleId: await withSchedule(world, true) };
  await world.rpc.schedules.run.mutate(named);
  await eventually<true>(async () => {
    const [firing] = (await world.rpc.schedules.listFirings.query(named)).firings;
    return firing?.status === "started" ? { value: true } : {};
  }, 20_000);
}

const launched = ["--agent", "Clerk", "--message", "Write the report"];

/** Commands about schedules. */
export const scheduleEntries: readonly Entry[] = [
  { command: "schedules list", prepare },
  { command: "schedules get", prepare, args: [name] },
  {
    command: "schedules preview",
    args: ["--cron", "@daily", "--count", "2"],
    settings: { TZ: "UTC" },
  },
  {
    command: "schedules create",
    prepare: async ({ createAgent }) => void (await createAgent("Clerk")),
    args: [name, "--every", "1d", ...launched],
  },
  { command: "schedules update", prepare, args: [name, "--message", "Be brief"] },
  { command: "schedules pause", prepare, args: [name] },
  {
    command: "schedules resume",
    prepare: async (world) => void (await withSchedule(world, true)),
    args: [name],
  },
  { command: "schedules run", prepare, args: [name] },
  { command: "schedules remove", prepare, args: [name], confirmed: name },
  { command: "schedules firings list", prepare: withFiring, args: [name] },
];
