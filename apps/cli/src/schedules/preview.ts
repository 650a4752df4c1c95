import { printLine } from "@parley/command/print";
import { PreviewSchedule } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import { connect } from "../connection/connect.ts";
import type { Context } from "../connection/context.ts";
import type { ServerOptions } from "../connection/server-options.ts";
import { nounCommand } from "../grammar/noun.ts";
import { checkInput, withInput } from "../grammar/read-input.ts";
import { ScheduleMembers } from "./schedule-members.ts";
import { secondsOf } from "../terminal/duration.ts";
import { zonedTime } from "./schedule-times.ts";

const Previewed = ScheduleMembers.pick({ cron: true, every: true, timezone: true }).extend({
  count: PreviewSchedule.shape.count,
});

/** Makes `preview`, which shows times in the time zone of the schedule and in the caller's own. */
export function createPreviewCommand(context: Context) {
  const { io } = context;
  const command = nounCommand("preview", "list the next times of a schedule without creating it");
  const read = withInput(command, { schema: Previewed, isFilter: true });
  return command.action(async (options: ServerOptions) => {
    const { every, ...given } = checkInput(Previewed, await read(io, { ...options }));
    const { rpc, wId } = await connect(context, options);
    const everySeconds = every === undefined ? null : secondsOf(every);
    const answer = await callServer(rpc.schedules.preview.mutate({ wId, ...given, everySeconds }));
    if (options.json) return printLine(io, JSON.stringify(answer));
    const { timezone = "UTC" } = given;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zones = own === timezone ? [timezone] : [timezone, own];
    const { renderTable } = await import("../terminal/table.ts");
    const rows = answer.slots.map((slot) => zones.map((zone) => zonedTime(slot, zone)));
    for (const line of renderTable(io, zones, rows)) printLine(io, line);
  });
}
