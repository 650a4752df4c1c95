import { eventually } from "../../../programs.ts";
import { post, signers } from "../../../triggers/listen.ts";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const name = "issues";

async function withTrigger({ rpc, wId, createAgent }: World): Promise<Prepared> {
  const source = { type: "github" } as const;
  const mapping = { type: "jsonata", message: "body.title" } as const;
  const agent = { agentId: await createAgent("sorter") };
  const { trigger } = await rpc.triggers.create.mutate({ wId, name, source, mapping, agent });
  return { trigger: trigger.sId };
}

async function withDisabled(world: World): Promise<Prepared> {
  const { trigger: triggerId = "" } = await withTrigger(world);
  const { rpc, wId } = world;
  await rpc.triggers.update.mutate({ wId, triggerId, version: 0, isEnabled: false });
  return { trigger: triggerId };
}

/** Makes a trigger with an event that has started a conversation. */
async function withEvent(world: World): Promise<Prepared> {
  const { trigger: triggerId = "" } = await withTrigger(world);
  const { rpc, wId } = world;
  const named = { wId, triggerId };
  const { secret, url } = await rpc.triggers.rotateSecret.mutate(named);
  const body = JSON.stringify({ title: "It hangs" });
  await post(url, body, await signers.github(secret, body, "delivery-1"));
  const event = await eventually<string>(async () => {
    const [one] = (await rpc.triggers.listEvents.query(named)).events;
    return one?.status === "started" ? { value: one.sId } : {};
  }, 20_000);
  return { trigger: triggerId, event };
}

/** Commands about triggers. */
export const triggerEntries: readonly Entry[] = [
  { command: "triggers list", prepare: withTrigger },
  { command: "triggers get", prepare: withTrigger, args: [name] },
  {
    command: "triggers create",
    prepare: async ({ createAgent }) => ({ agent: await createAgent("sorter") }),
    args: ({ agent = "" }) => [name, "--source", "github", "--agent", agent],
    showsSecret: true,
  },
  { command: "triggers update", prepare: withTrigger, args: [name, "--max-bytes", "1000"] },
  { command: "triggers enable", prepare: withDisabled, args: [name] },
  { command: "triggers disable", prepare: withTrigger, args: [name] },
  {
    command: "triggers rotate",
    prepare: withTrigger,
    args: [name],
    confirmed: name,
    showsSecret: true,
  },
  { command: "triggers remove", prepare: withTrigger, args: [name], confirmed: name },
  {
    command: "triggers test",
    prepare: withTrigger,
    args: [name, "--body", '{"title":"It hangs"}'],
  },
  { command: "triggers events list", prepare: withEvent, args: [name] },
  {
    command: "triggers events get",
    prepare: withEvent,
    args: ({ event = "" }) => [name, event],
  },
  {
    command: "triggers replay",
    prepare: withEvent,
    args: ({ event = "" }) => [name, "--event-id", event],
  },
];
