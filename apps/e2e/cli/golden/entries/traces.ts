import type { Entry } from "../entry.ts";
import type { World } from "../world.ts";

const name = "Collector";
const url = "https://collector.example/v1/traces";

async function withDestination({ rpc, wId }: World): Promise<void> {
  await rpc.traceDestinations.create.mutate({ wId, name, url });
}

async function withDisabled({ rpc, wId }: World): Promise<void> {
  await rpc.traceDestinations.create.mutate({ wId, name, url, isEnabled: false });
}

/** Commands about traces and their destinations. */
export const traceEntries: readonly Entry[] = [
  { command: "traces export", prepare: withDestination, args: [name, "--since", "7d"] },
  { command: "traces destinations list", prepare: withDestination },
  { command: "traces destinations get", prepare: withDestination, args: [name] },
  {
    command: "traces destinations create",
    args: [name, "--endpoint", url, "--encoding", "json", "--percent", "10"],
  },
  {
    command: "traces destinations update",
    prepare: withDestination,
    args: [name, "--sends-content"],
  },
  { command: "traces destinations enable", prepare: withDisabled, args: [name] },
  { command: "traces destinations disable", prepare: withDestination, args: [name] },
  { command: "traces destinations test", prepare: withDestination, args: [name] },
  {
    command: "traces destinations remove",
    prepare: withDestination,
    args: [name],
    confirmed: name,
  },
];
