import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const name = "Failures";

async function withAlert({ rpc, wId }: World): Promise<void> {
  await rpc.alerts.create.mutate({ wId, name, measure: "errors", threshold: 3 });
}

/** Commands about alerts, and about what happened over time. */
export const alertEntries: readonly Entry[] = [
  { command: "alerts list", prepare: withAlert },
  { command: "alerts get", prepare: withAlert, args: [name] },
  {
    command: "alerts create",
    args: [name, "--measure", "error_rate", "--threshold", "20", "--until", "10"],
  },
  { command: "alerts update", prepare: withAlert, args: [name, "--threshold", "5"] },
  { command: "alerts enable", prepare: withAlert, args: [name] },
  { command: "alerts disable", prepare: withAlert, args: [name] },
  { command: "alerts remove", prepare: withAlert, args: [name], confirmed: name },
  { command: "alerts incidents list" },
  {
    command: "overview",
    args: ["--by", "model"],
    varying: [[/(?<="(?:from|to|startsAt|writtenUntil)":)\d+/g, "0"]],
  },
];
