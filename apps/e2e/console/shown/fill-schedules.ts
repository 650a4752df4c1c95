import { createRpcClient } from "parley-client";
import { eventually, type Server } from "../../server.ts";

/**
 * Creates the schedules of the shop as a key: one that has fired, and one that is paused. Gives the id of the first.
 */
export async function fillSchedules({ url, demo }: Server, apiKey: string): Promise<string> {
  const { schedules } = createRpcClient({ url, apiKey });
  const { workspaceId: wId } = demo;
  const { schedule } = await schedules.create.mutate({
    wId,
    name: "Morning report",
    description: "For the stand-up of the shop",
    agent: { agentId: "helper", message: "Write the report of yesterday's orders." },
    cron: "0 9 * * MON-FRI",
    timezone: "America/New_York",
  });
  await schedules.create.mutate({
    wId,
    name: "Tally of parcels",
    function: { functionId: "find-order", input: { orderId: "1042" } },
    everySeconds: 3600,
    isPaused: true,
  });
  const named = { wId, scheduleId: schedule.sId };
  await schedules.run.mutate(named);
  await eventually<true>(async () => {
    const { firings } = await schedules.listFirings.query({ ...named, status: "started" });
    return firings.length > 0 ? { value: true } : {};
  }, 20_000);
  return schedule.sId;
}
